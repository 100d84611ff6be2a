// The open sheet: its tabs, and what happens on the virtual Pi.

import { listenTo } from "../connection.js";
import { displayBus } from "./display_bus.js";
import { eventList } from "./event_list.js";
import { ledger } from "./ledger.js";
import { pins } from "./pins.js";
import { serial } from "./serial.js";
import { splitter } from "./splitter.js";
import { tabs } from "./tabs.js";
import { TimeAxis } from "./time_axis.js";
import { waveform } from "./waveform.js";

/** Fill the sheet and open `tab`. `onTab(tab)` is called with each tab that opens. */
export function fillSheet(sheet, { tab, faults, onTab }) {
  splitter(sheet);
  const axis = new TimeAxis();
  const panel = (name) => sheet.querySelector(`#panel-${name}`);
  const parts = {
    pins: pins(panel("pins"), axis),
    serial: serial(panel("serial")),
    lcd: displayBus(panel("lcd")),
    sound: waveform(panel("sound"), axis),
    ledger: ledger(panel("ledger"), faults),
    events: eventList(panel("events")),
  };
  const each = (method, ...values) => Object.entries(parts).forEach(([name, part]) => part[method]?.(...values, name === shown));
  let shown = "";
  let oldest = 0;

  function openTab(name) {
    if (shown) parts[shown].show(false);
    shown = name;
    parts[name].show(true);
    onTab(name);
  }

  function receive(news) {
    const isFirst = !axis.now;
    if (news.begins) {
      const { live } = axis;
      oldest = Math.max(0, news.t - 60);
      if (!axis.now || news.t < axis.now) axis.reset();
      else axis.live = live;
      each("clear");
    }
    each("update", news);
    axis.tick(news.t, oldest);
    const latest = Math.max(...Object.values(news.edges ?? {}).map((edges) => edges.at(-1)?.[0] ?? 0));
    if (isFirst && latest > oldest) axis.rest(latest);
    else if (latest > oldest) axis.wake();
  }

  tabs(sheet.querySelector("[role=tablist]"), openTab).choose(tab);
  const end = listenTo("inside", receive);

  return {
    hardware: (state) => each("hardware", state),
    close() {
      end();
      each("close");
    },
  };
}
