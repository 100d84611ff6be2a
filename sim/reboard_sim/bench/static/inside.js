// The sheet "Inside": open or closed, and which tab, as the address says. While it is closed it is not there at all.

const KEY = "inside";
const TABS = ["pins", "serial", "lcd", "sound", "ledger", "events"];

export function lookInside(faults) {
  const button = document.getElementById("look-inside");
  const sheet = document.getElementById("inside");
  let furniture = null;
  let opening = Promise.resolve();
  let looks = null;

  function tell(tab) {
    const here = new URL(location);
    if (tab) here.searchParams.set(KEY, tab);
    else here.searchParams.delete(KEY);
    history.replaceState(history.state, "", here);
  }

  async function open(tab) {
    button.setAttribute("aria-expanded", "true");
    const [{ furnish }, answer] = await Promise.all([import("./inside/furnish.js"), fetch("/static/inside/sheet.html")]);
    const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
    sheet.replaceChildren(...parsed.body.children);
    sheet.hidden = false;
    furniture = furnish(sheet, { tab, faults, chosen: tell });
    if (looks) furniture.hardware(looks);
  }

  function close() {
    button.setAttribute("aria-expanded", "false");
    furniture?.end();
    furniture = null;
    sheet.replaceChildren();
    sheet.hidden = true;
  }

  button.addEventListener("click", () => {
    const opens = button.getAttribute("aria-expanded") === "false";
    tell(opens ? TABS[0] : null);
    opening = opening.then(async () => {
      if (!opens) return close();
      await open(TABS[0]);
      return sheet.scrollIntoView({ block: "nearest", behavior: "smooth" });
    });
  });

  const asked = new URLSearchParams(location.search).get(KEY);
  if (TABS.includes(asked)) opening = open(asked);

  return {
    hardware(now) {
      looks = now;
      furniture?.hardware(now);
    },
  };
}
