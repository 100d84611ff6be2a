// The language of the page. The server translates the page: see bundle.py.

import { spoken } from "/static/text.js";

const COOKIE = "reboard-language"; // of all pages of a machine
const YEAR_S = 365 * 24 * 3600;

/** The title of an edition in the language of the page. */
export function titleOf({ title, titles }) {
  return titles?.[spoken()] ?? title;
}

/** Let the reader change the language: the page is loaded again. */
export function chooseLanguage() {
  document.getElementById("language").addEventListener("change", ({ target }) => {
    document.cookie = `${COOKIE}=${target.value}; path=/; max-age=${YEAR_S}; samesite=lax`;
    const address = new URL(location.href);
    address.searchParams.delete("lang"); // the choice replaces it
    location.replace(address);
  });
}
