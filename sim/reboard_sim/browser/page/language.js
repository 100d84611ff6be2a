// Opens the page in the reader's language, if there is one: its language is in the address, or one of the browser's.

"use strict";

(() => {
  const pages = new Map([...document.querySelectorAll('link[rel="alternate"][hreflang]')].map((link) => [link.hreflang, link.href]));
  const asked = [new URLSearchParams(location.search).get("lang") ?? "", ...navigator.languages];
  const chosen = asked.map((language) => language.slice(0, 2)).find((language) => pages.has(language)) ?? "en";
  if (chosen !== document.documentElement.lang) location.replace(pages.get(chosen) + location.search + location.hash);
})();
