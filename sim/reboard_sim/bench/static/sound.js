// Plays the sound of the virtual sound card, with a short delay.

import { blocks } from "./pcm.js";

const RATE_HZ = 48000;
const LEAD_S = 0.06; // a block may come this late without an audible gap
const SAME_S = 0.005; // a block this close to the end of the one before follows it without a gap
const LONGEST_LEAD_S = 0.5;
const RETRY_MS = 1000;

/** Return a function that turns a block's time at the table into its time on `clock`, in seconds. */
export function timing(clock) {
  let offset = NaN;
  let end = NaN;
  return (t, seconds) => {
    let at = t + offset;
    if (Math.abs(at - end) < SAME_S) at = end;
    const ahead = at - clock();
    if (!(ahead >= 0 && ahead < LONGEST_LEAD_S)) {
      at = clock() + LEAD_S;
      offset = at - t;
    }
    end = at + seconds;
    return at;
  };
}

export function sound() {
  const button = document.getElementById("sound");
  const label = document.getElementById("sound-label");
  let stop = null;
  let pace = 1;

  function showState() {
    const on = pace === 1 ? "Sound is on" : "Only at 1×";
    const text = stop ? on : "Sound on";
    button.classList.toggle("on", Boolean(stop));
    if (label.textContent !== text) label.textContent = text;
  }

  button.addEventListener("click", () => {
    if (stop) stop.abort();
    stop = stop ? null : new AbortController();
    showState();
    if (stop) void listen(stop.signal, button);
  });

  return {
    hardware(now) {
      pace = now.pace;
      showState();
    },
  };
}

async function listen(signal, button) {
  const out = new AudioContext({ sampleRate: RATE_HZ, latencyHint: "interactive" });
  const when = timing(() => out.currentTime);
  let playing = 0;

  function play({ t, samples }) {
    const buffer = out.createBuffer(1, samples.length, RATE_HZ);
    buffer.copyToChannel(samples, 0);
    const source = new AudioBufferSourceNode(out, { buffer });
    source.connect(out.destination);
    source.start(when(t, buffer.duration));
    playing += 1;
    button.dataset.sounding = "";
    source.onended = () => {
      playing -= 1;
      if (!playing) delete button.dataset.sounding;
    };
  }

  while (!signal.aborted) {
    try {
      const answer = await fetch("/api/bench/sound", { signal });
      if (answer.ok) for await (const block of blocks(answer.body)) play(block);
    } catch {
      // the table is off or the bench is gone: the top of the page shows it
    }
    if (!signal.aborted) await new Promise((again) => setTimeout(again, RETRY_MS));
  }
  delete button.dataset.sounding;
  await out.close();
}
