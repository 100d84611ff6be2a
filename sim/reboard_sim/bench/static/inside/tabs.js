// Tabs, with the arrow keys of the ARIA pattern.

/** `onChoose(name)` is called with the name of each tab that the user chooses: the text after "tab-" in its id. */
export function tabs(strip, onChoose) {
  const all = [...strip.querySelectorAll("[role=tab]")];

  function choose(tab) {
    for (const one of all) {
      const isChosen = one === tab;
      one.setAttribute("aria-selected", isChosen);
      one.tabIndex = isChosen ? 0 : -1;
      document.getElementById(one.getAttribute("aria-controls")).hidden = !isChosen;
    }
    tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    onChoose(tab.id.slice("tab-".length));
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
