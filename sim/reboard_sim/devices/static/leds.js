// LEDs on the bench: a row, such as a bar graph, or traffic lights.

import { text, withColon } from "/static/text.js";

const COLOURS = { red: text("red"), amber: text("amber"), yellow: text("yellow"), green: text("green") };

export default function leds({ title }) {
  const element = document.createElement("div");
  const lamps = new Map();
  element.role = "img";

  function build(names) {
    const areTrafficLights = names.every((name) => name in COLOURS);
    element.className = areTrafficLights ? "traffic-lights" : "led-row";
    const order = areTrafficLights ? Object.keys(COLOURS).filter((name) => names.includes(name)) : names;
    for (const name of order) {
      const lamp = document.createElement("i");
      lamp.className = name;
      lamp.title = name;
      lamps.set(name, lamp);
      element.append(lamp);
    }
  }

  return {
    element,
    show({ levels }) {
      if (!lamps.size) build(Object.keys(levels));
      for (const [name, lamp] of lamps) lamp.style.setProperty("--level", levels[name]);
      const lit = [...lamps.keys()].filter((name) => levels[name]).map((name) => COLOURS[name] ?? name);
      element.ariaLabel = withColon(title, lit.join(", ") || text("off"));
    },
  };
}
