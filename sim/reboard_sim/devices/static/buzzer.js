// A buzzer on the bench. Its tone is heard while the bench's sound is on and the clock runs at 1×.

import { text } from "/static/text.js";

const GAIN = 0.05;
const WATCH_MS = 200;

export default function buzzer({ title }) {
  const element = document.createElement("div");
  const output = document.createElement("output");
  element.className = "buzzer";
  output.ariaLabel = title;
  element.append(document.createElement("i"), output);
  let tone = null;
  let watch = 0;

  function start(hz) {
    tone = sounding(hz);
    watch = setInterval(() => { if (!isHeard()) stop(); }, WATCH_MS); // no state comes from a bench that is gone
  }

  function stop() {
    clearInterval(watch);
    void tone?.context.close();
    tone = null;
  }

  return {
    element,
    show({ on, hz }) {
      const shown = on ? `♪ ${Math.round(hz)} Hz` : text("silent");
      if (output.textContent !== shown) output.textContent = shown;
      element.classList.toggle("on", on);
      if (!on || !isHeard()) stop();
      else if (tone) tone.frequency.value = hz;
      else start(hz);
    },
  };
}

function isHeard() {
  return document.querySelector("#sound.heard") && document.body.dataset.line === "open";
}

function sounding(hz) {
  const out = new AudioContext();
  const tone = new OscillatorNode(out, { type: "square", frequency: hz });
  tone.connect(new GainNode(out, { gain: GAIN })).connect(out.destination);
  tone.start();
  return tone;
}
