// The logic analyser: a lane for each pin. Its height is the level, or the duty cycle of PWM.

import { clockTime } from "/static/clock.js";
import { text } from "/static/text.js";

import { scope } from "./scope.js";
import { duration } from "./time_axis.js";
import { Timeline } from "./timeline.js";
import { wiring } from "./wiring.js";

const PAD_PX = 7;
const EDGES_DESCRIBED = 4;
const DESCRIBE_MS = 400;
const CROWD = 3; // this many changes within a pixel are drawn as a block
const NO_EDGE = { 1: text("No later edge on this pin."), "-1": text("No earlier edge on this pin.") };

export function pins(panel, axis) {
  const list = panel.querySelector(".lanes");
  const summary = panel.querySelector(".said");
  let lanes = [];
  let selected = 0;
  let now = 0;
  let describing = 0;
  let noEdge = ""; // set by a jump that found no edge

  const view = scope(panel.querySelector(".scope"), axis, {
    draw,
    height: () => lanes.length * laneHeight(),
    edge: (from, way) => lanes[selected]?.line.next(from, way) ?? null,
    snap(t, y, within) {
      const lane = lanes[Math.floor((y - 24) / laneHeight())];
      if (lane) select(lanes.indexOf(lane));
      return lane?.line.near(t, within) ?? t;
    },
    onCursor(way) {
      noEdge = NO_EDGE[way] ?? "";
      describe();
    },
    lane: (step) => select(Math.min(lanes.length - 1, Math.max(0, selected + step))),
  });
  const drawing = wiring(panel);

  function laneHeight() {
    return list.firstElementChild?.getBoundingClientRect().height || 32;
  }

  function draw(pen, box) {
    const tall = laneHeight();
    lanes.forEach((lane, place) => {
      const top = box.top + place * tall;
      if (place === selected) {
        pen.fillStyle = box.colour("lane-chosen");
        pen.fillRect(0, top, box.width, tall);
      }
      trace(pen, box, lane, { high: top + PAD_PX, low: top + tall - PAD_PX });
      pen.fillStyle = box.colour("paper-line");
      pen.fillRect(0, top + tall - 1, box.width, 1);
    });
    if (axis.now < axis.end) {
      const x = axis.x(axis.now, box.width);
      pen.fillStyle = box.colour("lane-unknown");
      pen.fillRect(x, box.top, box.width - x, box.high - box.top);
    }
  }

  function trace(pen, { width, colour }, { line, hue }, { high, low }) {
    const y = (duty) => low - duty * (low - high);
    const stroke = colour(hue);
    const last = Math.min(axis.x(axis.now, width), width);
    let place = line.at(axis.begin);
    let duty = line.duty[place] ?? null;
    let x = 0;

    const level = (until) => {
      const [from, to] = [Math.max(0, x), Math.min(until, last)];
      if (to <= from) return;
      if (duty === null) {
        pen.fillStyle = colour("lane-unknown");
        pen.fillRect(from, high, to - from, low - high);
        return;
      }
      if (duty > 0) {
        pen.globalAlpha = 0.14;
        pen.fillStyle = stroke;
        pen.fillRect(from, y(duty), to - from, low - y(duty));
        pen.globalAlpha = 1;
      }
      pen.fillStyle = stroke;
      pen.fillRect(from, y(duty) - 0.75, to - from, 1.5);
    };

    for (place += 1; place < line.t.length && line.t[place] <= axis.end; ) {
      const at = axis.x(line.t[place], width);
      level(at);
      let [lowest, highest, count] = [duty ?? 1, duty ?? 0, 0];
      let to = at;
      for (; place < line.t.length && (to = axis.x(line.t[place], width)) < at + 1; place += 1) {
        duty = line.duty[place];
        lowest = Math.min(lowest, duty ?? 1);
        highest = Math.max(highest, duty ?? 0);
        count += 1;
        x = to;
      }
      pen.fillStyle = stroke;
      if (highest > lowest) pen.fillRect(at - (count > CROWD ? 1 : 0.75), y(highest) - 0.75, count > CROWD ? 2 : 1.5, y(lowest) - y(highest) + 1.5);
    }
    level(width);
  }

  function select(place) {
    selected = place;
    noEdge = "";
    [...list.children].forEach((item, n) => item.setAttribute("aria-selected", n === place));
    if (list.children[place]) list.setAttribute("aria-activedescendant", list.children[place].id);
    drawing.choose(lanes[place]?.pin);
    describe();
    view.redraw();
  }

  function levels() {
    lanes.forEach(({ line }, place) => {
      const duty = line.duty.at(-1) ?? null;
      const item = list.children[place];
      const level = duty === null ? "unknown" : duty === 0 ? "low" : "high";
      if (item.dataset.level !== level) item.dataset.level = level;
      drawing.level(lanes[place].pin, duty > 0 && duty < 1 ? "pulsed" : level);
    });
  }

  /** Describe the selected pin in words: its level and its last changes, now or at the cursor. */
  function describe() {
    clearTimeout(describing);
    describing = 0;
    const lane = lanes[selected];
    if (!lane) return;
    const { line, title, pin } = lane;
    const cursor = axis.cursors[axis.active];
    const at = cursor ?? now;
    const place = line.at(at);
    const last = [];
    for (let n = place; n > Math.max(0, place - EDGES_DESCRIBED); n -= 1) {
      const change = { change: changeOf(line.duty[n], line.duty[n - 1]), time: clockTime(line.t[n], 6) };
      last.push(n < place ? text("{change} at {time} for {duration}", { ...change, duration: duration(line.t[n + 1] - line.t[n]) }) : text("{change} at {time}", change));
    }
    const values = { title, pin, level: levelOf(line.duty[place]), time: clockTime(at, 6) };
    const is = cursor === null ? text("{title}, GPIO {pin}, is {level}.", values) : text("{title}, GPIO {pin}, at {time} is {level}.", values);
    const words = [noEdge, is, last.length ? text("Last: {changes}.", { changes: last.join("; ") }) : text("It has not changed.")].filter(Boolean).join(" ");
    if (summary.textContent !== words) summary.textContent = words;
  }

  list.addEventListener("click", (event) => {
    const item = event.target.closest("li");
    if (item) select([...list.children].indexOf(item));
  });
  list.addEventListener("keydown", (event) => {
    const to = { ArrowUp: selected - 1, ArrowDown: selected + 1, Home: 0, End: lanes.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    select(Math.min(lanes.length - 1, Math.max(0, to)));
  });

  function setLanes(wires) {
    const before = new Map(lanes.map((lane) => [`${lane.name} ${lane.pin}`, lane]));
    lanes = wires.map(({ name, pin }) => before.get(`${name} ${pin}`) ?? {
      name, pin, title: name.replaceAll("_", " "), hue: `lane-${name.split("_")[0]}`, line: new Timeline(),
    });
    list.replaceChildren(...lanes.map(({ title, pin, hue }, place) => {
      const item = document.createElement("li");
      item.id = `lane-${place}`;
      item.setAttribute("role", "option");
      item.dataset.hue = hue;
      const number = document.createElement("small");
      number.textContent = `GPIO ${pin}`;
      item.append(title, number);
      return item;
    }));
    drawing.reload();
    select(Math.min(selected, Math.max(0, lanes.length - 1)));
  }

  return {
    clear() {
      lanes = [];
    },
    update(news, isShown) {
      now = news.t;
      if (news.wires) setLanes(news.wires);
      for (const lane of lanes) lane.line.add(news.edges?.[lane.name] ?? []);
      if (!isShown) return;
      levels();
      if (news.edges) describing ||= setTimeout(describe, DESCRIBE_MS);
    },
    show(isShown) {
      view.show(isShown);
      if (isShown) {
        levels();
        describe();
      }
    },
    close() {
      clearTimeout(describing);
      view.close();
    },
  };
}

function levelOf(duty) {
  if (duty === undefined || duty === null) return text("not known");
  if (duty === 0 || duty === 1) return duty ? text("high") : text("low");
  return text("pulsed, {percent} %", { percent: Math.round(duty * 100) });
}

function changeOf(duty, before) {
  if (duty === null || before === null) return levelOf(duty);
  const percent = Math.round(duty * 100);
  if (duty > before) return duty < 1 ? text("rose to {percent} %", { percent }) : text("rose");
  return duty > 0 ? text("fell to {percent} %", { percent }) : text("fell");
}
