// The sheet "Inside". The address says whether it is open, and at which tab. It is loaded when it opens.

const KEY = "inside";
const TABS = ["pins", "serial", "lcd", "sound", "ledger", "events"];

/** Calls `refused(sentence)` if the sheet cannot be opened. */
export function lookInside(faults, refused) {
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
    let loaded;
    try {
      loaded = await Promise.all([import("./inside/furnish.js"), sheetMarkup()]);
    } catch {
      close();
      tell(null);
      refused("“Inside” could not be loaded. Check that reboard-sim is running, and reload this page.");
      return;
    }
    const [{ furnish }, markup] = loaded;
    const parsed = new DOMParser().parseFromString(markup, "text/html");
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
      return sheet.scrollIntoView({ block: "start", behavior: "smooth" });
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

async function sheetMarkup() {
  const answer = await fetch("/static/inside/sheet.html");
  if (!answer.ok) throw new Error(`the sheet is answered ${answer.status}`);
  return answer.text();
}
