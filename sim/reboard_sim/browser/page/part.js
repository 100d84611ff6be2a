// The part of the page for a table in the browser: loading with progress, notices, and new versions of the bench.

import { text } from "/static/text.js";

const NOTICES = {
  elsewhere: text("Your table is open in another window. This window has a table of its own, which is not kept."),
  damaged: text("The table of your last visit is damaged. This is a new one."),
  unkept: text("This browser does not keep the table. Save the session as a play before you close the page."),
  full: text("The ledger is too large for this browser to keep. Save the session as a play, then start over."),
};

export default function part() {
  const section = document.getElementById("loading");
  const says = document.getElementById("loading-says");
  const bar = document.getElementById("loading-bar");
  const bytes = document.getElementById("loading-bytes");
  const wrong = document.getElementById("loading-wrong");
  const again = document.getElementById("loading-again");
  const newTable = document.getElementById("loading-new");
  const { worker, listen, forget } = globalThis.tableInBrowser;

  again.addEventListener("click", () => location.reload());
  newTable.addEventListener("click", async () => {
    await forget();
    location.reload();
  });

  function fail(sentence) {
    says.hidden = bar.hidden = bytes.hidden = true;
    section.hidden = wrong.hidden = again.hidden = false;
    wrong.textContent = sentence;
  }

  const receive = {
    starting() {
      bar.removeAttribute("value");
      bytes.hidden = true;
      says.textContent = text("The table is being switched on.");
    },
    live() {
      section.hidden = true;
      void keepOffline();
    },
    offline: () => fail(text("The table could not be loaded. Check the network, and reload this page.")),
    stopped({ cause }) {
      if (document.getElementById("editor")) { // a program has no ledger here
        fail(text("The bench has stopped: {cause}. Reload this page.", { cause }));
        return;
      }
      fail(text("The table has stopped: {cause}. Reload this page. If it stops again, start a new table with an empty ledger.", { cause }));
      newTable.hidden = false;
    },
    notice: ({ name }) => showNotice(NOTICES[name]),
  };
  listen((news) => receive[news.kind](news));
  document.addEventListener("visibilitychange", () => { if (document.hidden) worker.postMessage({ do: "keep" }); });
  return {};
}

/** Show a sentence, and a button that does something or only closes it. */
function showNotice(sentence, label = text("Close"), act = () => {}) {
  const notice = document.createElement("section");
  notice.className = "link notice";
  const words = document.createElement("p");
  words.role = "status";
  const button = Object.assign(document.createElement("button"), { type: "button", className: "button", textContent: label });
  button.addEventListener("click", () => {
    notice.remove();
    act();
  });
  notice.append(words, button);
  document.getElementById("notices").append(notice);
  words.textContent = sentence; // after it is in the page, so that a screen reader says it
}

/** Have the browser keep the files of the bench, and offer a new version when one is published. */
async function keepOffline() {
  const { serviceWorker } = navigator; // only in a secure context
  const registration = await serviceWorker?.register("service_worker.js", { updateViaCache: "none" }).catch(() => null);
  if (!registration) return;
  function offer() {
    if (!registration.waiting || !serviceWorker.controller) return; // or it is the first version
    showNotice(text("There is a new version of the bench."), text("Load it"), () => {
      serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
      if (registration.waiting) registration.waiting.postMessage("activate"); // by now a still newer one may wait
      else location.reload(); // another window has loaded it
    });
  }
  offer();
  document.addEventListener("visibilitychange", () => { if (!document.hidden) registration.update().catch(() => {}); });
  registration.addEventListener("updatefound", () => registration.installing.addEventListener("statechange", offer));
}
