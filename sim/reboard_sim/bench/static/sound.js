// Plays the sound of the virtual sound card, with a short delay.

import { text } from "/static/text.js";

import { listenTo } from "./connection.js";

const RATE_HZ = 48000;
const LEAD_S = 0.06; // a block may come this late without an audible gap
const SAME_S = 0.005; // a block this close to the end of the one before follows it without a gap
const LONGEST_LEAD_S = 0.5;
const FULL = 32768;
const REST_MS = 10_000; // an open sound output needs a percent of a processor, also in silence

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
  let waits = true; // for the first press, without which a browser plays nothing
  let isFirst = false; // whether that press was on the button: its click switches nothing off
  let pace = 1;
  let stop = null;
  stop = listen(button, ({ target }) => {
    waits = false;
    isFirst = button.contains(target);
    showState();
  });

  function showState() {
    const isOn = Boolean(stop) && !waits;
    const isHeard = isOn && pace === 1;
    const on = isHeard ? text("Sound: on") : text("Sound: at 1×");
    const words = isOn ? on : waits ? text("Sound: press") : text("Sound: off");
    button.classList.toggle("on", isOn);
    button.classList.toggle("heard", isHeard);
    if (label.textContent !== words) label.textContent = words;
  }

  button.addEventListener("click", () => {
    if (!isFirst) {
      stop?.();
      stop = stop ? null : listen(button);
      showState();
    }
    isFirst = false;
  });

  return {
    hardware(now) {
      pace = now.pace;
      showState();
    },
  };
}

/** Play each block of sound, from the user's first press on the page: `onStart(event)`. Returns a function that ends it. */
function listen(button, onStart = () => {}) {
  let out = null;
  let when = null;
  let playing = 0;
  let resting = 0;

  function start(event = {}) {
    if (navigator.userActivation?.isActive === false) return;
    forGestures(removeEventListener);
    out = new AudioContext({ sampleRate: RATE_HZ, latencyHint: "interactive" });
    when = timing(() => out.currentTime);
    restLater();
    onStart(event);
  }

  function restLater() {
    resting = setTimeout(() => out.suspend(), REST_MS);
  }

  // a browser allows sound only after a press; a touch counts when it ends
  function forGestures(change) {
    for (const gesture of ["pointerdown", "pointerup", "keydown"]) change(gesture, start, true);
  }

  /** A block is its time in s as float64, and 16-bit samples. */
  function play(block) {
    if (!out) return;
    clearTimeout(resting);
    void out.resume();
    const t = new DataView(block).getFloat64(0, true);
    const samples = Float32Array.from(new Int16Array(block, 8), (sample) => sample / FULL);
    const buffer = out.createBuffer(1, samples.length, RATE_HZ);
    buffer.copyToChannel(samples, 0);
    const source = new AudioBufferSourceNode(out, { buffer });
    source.connect(out.destination);
    source.start(when(t, buffer.duration));
    playing += 1;
    button.dataset.sounding = "";
    source.onended = () => {
      playing -= 1;
      if (playing) return;
      delete button.dataset.sounding;
      restLater();
    };
  }

  forGestures(addEventListener);
  start();
  const end = listenTo("sound", play);
  return () => {
    forGestures(removeEventListener);
    end();
    clearTimeout(resting);
    delete button.dataset.sounding;
    void out?.close();
  };
}
