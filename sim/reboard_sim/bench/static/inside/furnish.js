// The open sheet: its tabs, and the line over which they are told what passes.

import { TimeAxis } from "./axis.js";
import { bus } from "./bus.js";
import { ledger } from "./ledger.js";
import { pins } from "./pins.js";
import { serial } from "./serial.js";
import { tabs } from "./tabs.js";
import { told } from "./told.js";
import { waveform } from "./waveform.js";

const RETRY_MS = 2000;

/** Fill the sheet, beginning at `tab`; `chosen(tab)` is called with every tab that is chosen. */
export function furnish(sheet, { tab, faults, chosen }) {
  const axis = new TimeAxis();
  const panel = (name) => sheet.querySelector(`#panel-${name}`);
  const parts = {
    pins: pins(panel("pins"), axis),
    serial: serial(panel("serial")),
    lcd: bus(panel("lcd")),
    sound: waveform(panel("sound"), axis),
    ledger: ledger(panel("ledger"), faults),
    events: told(panel("events")),
  };
  const each = (what, ...news) => Object.entries(parts).forEach(([name, part]) => part[what]?.(...news, name === shown));
  let shown = "";
  let oldest = 0;

  function choose(name) {
    if (shown) parts[shown].show(false);
    shown = name;
    parts[name].show(true);
    chosen(name);
  }

  function hear({ data }) {
    const news = JSON.parse(data);
    if (news.begins) {
      const { live } = axis;
      oldest = Math.max(0, news.t - 60);
      if (!axis.now || news.t < axis.now) axis.begins();
      else axis.live = live;
      each("begins");
    }
    each("news", news);
    axis.tick(news.t, oldest);
  }

  let line = null;
  let retry = 0;
  function open() {
    line = new EventSource("/api/bench/inside");
    line.onmessage = hear;
    line.onerror = () => {
      if (line.readyState === EventSource.CLOSED) retry = setTimeout(open, RETRY_MS);
    };
  }
  function close() {
    clearTimeout(retry);
    line?.close();
  }
  // a browser has six connections for all its pages on one server: one that nobody sees gives its own back
  function seen() {
    close();
    if (!document.hidden) open();
  }

  document.addEventListener("visibilitychange", seen);
  tabs(sheet.querySelector("[role=tablist]"), choose).choose(tab);
  seen();

  return {
    hardware: (looks) => each("hardware", looks),
    end() {
      close();
      document.removeEventListener("visibilitychange", seen);
      each("end");
    },
  };
}
