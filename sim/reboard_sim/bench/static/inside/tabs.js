// Tabs as everybody knows them: arrow keys go from one to the next, and one of them is chosen.

/** `chosen(name)` is called with the name of each tab that is chosen: what stands behind "tab-" in its id. */
export function tabs(strip, chosen) {
  const all = [...strip.querySelectorAll("[role=tab]")];

  function choose(tab) {
    for (const one of all) {
      const is = one === tab;
      one.setAttribute("aria-selected", is);
      one.tabIndex = is ? 0 : -1;
      document.getElementById(one.getAttribute("aria-controls")).hidden = !is;
    }
    tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    chosen(tab.id.slice("tab-".length));
  }

  strip.addEventListener("click", (event) => {
    const tab = event.target.closest("[role=tab]");
    if (tab) choose(tab);
  });
  strip.addEventListener("keydown", (event) => {
    const place = all.indexOf(document.activeElement);
    const to = { ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: -1 }[event.key];
    if (to === undefined || place < 0) return;
    event.preventDefault();
    const tab = all.at(to % all.length);
    tab.focus();
    choose(tab);
  });

  return { choose: (name) => choose(document.getElementById(`tab-${name}`)) };
}
