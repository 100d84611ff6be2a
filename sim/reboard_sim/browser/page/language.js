// Opens the page in the reader's language, if there is one: that of the address, the one chosen before, or the browser's.

"use strict";

(() => {
  const pages = new Map([...document.querySelectorAll('link[rel="alternate"][hreflang]')].map((link) => [link.hreflang, link.href]));
  const address = new URL(location.href);
  const asked = [address.searchParams.get("lang") || remembered(), ...navigator.languages];
  const chosen = asked.map((language) => language.slice(0, 2)).find((language) => pages.has(language)) ?? "en";
  if (address.searchParams.has("lang")) remember(chosen);
  globalThis.isLeft = chosen !== document.documentElement.lang;
  if (globalThis.isLeft) location.replace(pages.get(chosen) + address.search + address.hash);

  function remembered() {
    try {
      return localStorage.getItem("reboard-language") ?? "";
    } catch {
      return ""; // this browser keeps nothing
    }
  }

  function remember(language) {
    try {
      localStorage.setItem("reboard-language", language);
    } catch {
      // the next page is in the browser's language
    }
  }
})();
