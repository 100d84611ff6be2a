// The sheet "Inside". The address has its open tab. Its code is loaded when it opens.

import { fileText } from "/static/page_data.js";

export const KEY = "inside";
export const TABS = ["pins", "serial", "lcd", "sound", "ledger", "events"];

export function insideSheet(faults) {
  const button = document.getElementById("look-inside");
  const sheet = document.getElementById("inside");
  let content = null;
  let opening = Promise.resolve();
  let state = null;

  function showInAddress(tab) {
    const here = new URL(location);
    if (tab) here.searchParams.set(KEY, tab);
    else here.searchParams.delete(KEY);
    history.replaceState(history.state, "", here);
  }

  function show(isOpen) {
    sheet.hidden = !isOpen;
    sheet.parentElement.classList.toggle("docked", isOpen);
  }

  async function open(tab) {
    button.setAttribute("aria-expanded", "true");
    const { fillSheet } = await import("./inside/sheet.js");
    const parsed = new DOMParser().parseFromString(fileText("/static/inside/sheet.html"), "text/html");
    sheet.replaceChildren(...parsed.body.children);
    show(true);
    content = fillSheet(sheet, { tab, faults, onTab: showInAddress });
    if (state) content.hardware(state);
  }

  function close() {
    button.setAttribute("aria-expanded", "false");
    content?.close();
    content = null;
    sheet.replaceChildren();
    show(false);
  }

  button.addEventListener("click", () => {
    const opens = button.getAttribute("aria-expanded") === "false";
    showInAddress(opens ? TABS[0] : null);
    opening = opening.then(async () => {
      if (!opens) return close();
      await open(TABS[0]);
      return sheet.scrollIntoView({ block: "start", behavior: "smooth" });
    });
  });

  const tab = new URLSearchParams(location.search).get(KEY);
  if (TABS.includes(tab)) opening = open(tab);
  else close();

  return {
    hardware(now) {
      state = now;
      content?.hardware(now);
    },
  };
}
