// The view for a big screen in the room, at /?view=tv: what has data-tv, large and without scrolling. The server sets the
// view in the page (see bundle.py), and tv.css does the rest.

import { show } from "./element.js";

/** Complete the view, if the address asks for it. */
export function tvView() {
  if (document.body.dataset.view === "tv") void invite();
}

/** Show the address for phones, if they can open the page. */
async function invite() {
  const answer = await fetch("/api/invitation").catch(() => null);
  const { url, ip_url: ipUrl } = answer?.ok ? await answer.json() : {};
  show("join", Boolean(url));
  if (!url) return;
  document.getElementById("join-code").src = "/qr.svg";
  document.getElementById("join-url").textContent = hostOf(url);
  document.getElementById("join-ip").textContent = ipUrl ? hostOf(ipUrl) : ""; // an old Android knows no name in .local
}

function hostOf(url) {
  return new URL(url).host;
}
