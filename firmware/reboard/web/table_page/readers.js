// What the card readers have sent, for the host. It is read only while the list is open.

import { causeName, partName } from "/static/words.js";

import { element } from "./element.js";
import { read } from "./host_api.js";
import { text } from "/static/text.js";

const EVERY_MS = 2000;

export function readers() {
  const details = document.getElementById("readers");
  const list = details.querySelector("ul");
  let isHost = false;
  let timer = 0;

  async function update() {
    clearTimeout(timer);
    const answer = await read("readers");
    if (answer?.ok) show(Object.values(answer.body.ok));
    if (isHost && details.open && !document.hidden) timer = setTimeout(update, EVERY_MS);
  }

  function show(reports) {
    details.hidden = reports.length === 0;
    list.replaceChildren(...reports.map(line));
  }

  function line({ part, advice, ...counts }) {
    const values = { part: partName(part), ...counts, tag_s: Math.round(counts.tag_s) };
    const item = element("li", counts.tag
      ? text("{part}: {bytes} bytes, {frames} frames, {dropped} dropped; last card {tag}, {tag_s} s ago", values)
      : text("{part}: {bytes} bytes, {frames} frames, {dropped} dropped; no card yet", values));
    if (advice) {
      const words = element("p", causeName(advice));
      if (words.textContent === advice) words.lang = "en";
      item.append(words);
    }
    return item;
  }

  details.addEventListener("toggle", update);
  document.addEventListener("visibilitychange", () => {
    if (isHost && details.open && !document.hidden) void update();
  });

  return {
    /** Find out whether the table has readers when this browser becomes the host. */
    show(isHostNow) {
      const becomesHost = isHostNow && !isHost;
      isHost = isHostNow;
      if (becomesHost) void update();
    },
  };
}
