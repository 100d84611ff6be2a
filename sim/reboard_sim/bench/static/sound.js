// Plays the sound of the virtual sound card, with a short delay.

import { blocks } from "./pcm.js";

const RATE_HZ = 48000;
const LEAD_S = 0.06; // a block may come so much late without a gap being heard
const SAME_S = 0.005; // a block so close to the end of the one before follows it without a seam
const LONGEST_LEAD_S = 0.5;
const RETRY_MS = 1000;

/** When each block is to be heard on `clock` (s), from when it was played at the table. */
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

  function tell() {
    const on = pace === 1 ? "Sound is on" : "Only at 1×";
    const says = stop ? on : "Sound on";
    button.classList.toggle("on", Boolean(stop));
    if (label.textContent !== says) label.textContent = says;
  }

  button.addEventListener("click", () => {
    if (stop) stop.abort();
    stop = stop ? null : new AbortController();
    tell();
    if (stop) void listen(stop.signal, button);
  });

  return {
    hardware(now) {
      pace = now.pace;
      tell();
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
