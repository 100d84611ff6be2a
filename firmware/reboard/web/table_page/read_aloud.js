// Reads aloud what the page announces to screen readers, for players who cannot read yet. Some browsers have no voice.

import { choice } from "/static/choice.js";
import { spoken, text } from "/static/text.js";

export function readAloud() {
  const { speechSynthesis } = globalThis;
  const box = document.getElementById("read-aloud");
  const region = document.getElementById("announcer");
  if (!speechSynthesis) return;
  const isOn = choice("read-aloud");
  let next = ""; // the latest announcement, which replaces one that has not begun
  box.parentElement.hidden = false;
  box.addEventListener("change", () => {
    speechSynthesis.cancel();
    if (isOn()) say(box.parentElement.textContent.trim()); // a browser speaks only after the user has asked for it
  });
  new MutationObserver(() => isOn() && say(region.textContent)).observe(region, { childList: true });

  function say(words) {
    next = words;
    if (!speechSynthesis.speaking) speak();
  }

  function speak() {
    if (!next || !isOn()) return;
    const utterance = new SpeechSynthesisUtterance(inWords(next));
    next = "";
    utterance.lang = spoken();
    utterance.onend = utterance.onerror = speak;
    speechSynthesis.speak(utterance);
  }
}

/** A sentence with its amounts in words: 1.5M is "1.5 million". */
function inWords(sentence) {
  return sentence.replace(/(\d+(?:[.,]\d+)?)([KM])\b/g, (_, amount, unit) => {
    if (unit === "K") return text("{amount} thousand", { amount });
    return amount === "1" ? text("1 million") : text("{amount} million", { amount });
  });
}
