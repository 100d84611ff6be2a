// The dialog that invites other phones to this page: its address as a QR code, to read out, to copy and to share.

import { show, showMessage } from "./element.js";
import { text } from "/static/text.js";

const SAID_MS = 2500;

/** `codeToJoin()` returns the code that a phone needs to join, or "". */
export function invite(codeToJoin = () => "") {
  const dialog = document.getElementById("invite-dialog");
  const picture = document.getElementById("invite-code");
  const address = document.getElementById("invite-url");
  const joining = document.getElementById("invite-join");
  const copy = document.getElementById("invite-copy");
  const share = document.getElementById("invite-share");
  let timer;

  document.getElementById("invite").addEventListener("click", async () => {
    const { url, ip_url: ipUrl, listens } = await fetch("/api/invitation").then((answer) => answer.json()).catch(() => ({}));
    const code = await codeToJoin();
    const query = code ? `?join=${code}` : "";
    if (url) picture.src = `/qr.svg${query || "?"}&${encodeURIComponent(url)}`; // else a picture of an earlier address could stay
    address.value = url ? `${url}${query && "/"}${query}` : "";
    if (joining) showMessage(joining, code ? text("Code to join: {code}", { code }) : "");
    document.getElementById("invite-ip").textContent = ipUrl ? text("An old phone may need this address instead: {url}", { url: ipUrl }) : "";
    show("invite-ip", ipUrl);
    show("invite-found", url);
    show("invite-local", listens === false && !url);
    show("invite-alone", listens && !url);
    show("invite-lost", listens === undefined && !url);
    copy.hidden = !url;
    // browsers share, and some copy, only on pages that came encrypted or from this machine
    share.hidden = !url || !navigator.share;
    dialog.showModal();
  });
  copy.addEventListener("click", async () => {
    copy.textContent = await copied(address) ? text("Copied") : text("Copy it by hand");
    clearTimeout(timer);
    timer = setTimeout(() => { copy.textContent = text("Copy"); }, SAID_MS);
  });
  share.addEventListener("click", () => {
    navigator.share({ title: document.title, url: address.value }).catch(() => {}); // the reader changed their mind
  });
  address.addEventListener("focus", () => address.select());
}

/** Copy the value of a field, and return whether it worked. */
async function copied(field) {
  field.focus();
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    return document.execCommand("copy"); // the only way for a page that came over plain HTTP
  }
}
