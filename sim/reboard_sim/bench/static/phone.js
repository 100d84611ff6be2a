// How to open the table page: here, or on a phone by its QR code.

import { text } from "/static/text.js";

/** Returns a function that shows a page: its URL on this machine and the host's PIN, if it is known; null if there is none. */
export function phone() {
  const sheet = document.getElementById("phone");
  const here = document.getElementById("table-page");
  const pin = document.getElementById("phone-pin");
  here.addEventListener("click", () => sheet.hidePopover());
  sheet.addEventListener("beforetoggle", ({ newState }) => {
    if (newState === "open") void invite();
  });

  return (page) => {
    document.getElementById("phone-open").hidden = !page;
    if (!page) return;
    here.href = page.url;
    pin.textContent = page.pin;
    pin.parentElement.hidden = !page.pin;
    document.getElementById("phone-let-in").hidden = !page.can_let_in;
  };
}

/** Show the address for phones. It may change with the network, so it is requested each time. */
async function invite() {
  const ask = (address) => fetch(address).then((answer) => answer.json()).catch(() => ({}));
  const [{ url, ip_url: ipUrl, listens }, { code = "" }] = await Promise.all([ask("api/invitation"), ask("api/bench/phones")]);
  // with the address, or a picture of an earlier one could stay
  document.getElementById("phone-code").src = url ? `qr.svg?join=${code}&${encodeURIComponent(url)}` : "";
  document.getElementById("phone-url").textContent = ipUrl ? text("{url} or {other}", { url, other: ipUrl }) : url ?? "";
  document.getElementById("phone-invites").hidden = !url;
  document.getElementById("phone-join").hidden = !code;
  document.getElementById("phone-join-code").textContent = code;
  document.getElementById("phone-is-local").hidden = listens !== false;
  document.getElementById("phone-is-alone").hidden = url || !listens;
}
