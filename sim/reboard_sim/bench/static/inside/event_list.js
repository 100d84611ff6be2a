// Every event of the table as JSON, filtered by kind and by text.

import { clockTime } from "/static/clock.js";

import { element, frameList } from "./frame_list.js";

export function eventList(panel) {
  const filter = panel.querySelector(".filter");
  const kinds = panel.querySelector(".kinds");
  const boxes = new Map();
  const list = frameList(panel, (item) => {
    if (!boxes.get(item.event).checked) return null;
    const { t, event, ...fields } = item;
    const text = JSON.stringify(fields);
    if (!`${event} ${text}`.toLowerCase().includes(filter.value.trim().toLowerCase())) return null;
    return element("li", "", element("time", "", clockTime(t, 6)), element("span", "from", event), element("code", "", text));
  });

  filter.addEventListener("input", list.refresh);
  panel.querySelector(".all").addEventListener("click", () => check(true));
  panel.querySelector(".none").addEventListener("click", () => check(false));

  function check(on) {
    boxes.forEach((box) => { box.checked = on; });
    list.refresh();
  }

  function addKind(event) {
    if (boxes.has(event)) return;
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = true;
    box.addEventListener("change", list.refresh);
    boxes.set(event, box);
    const label = element("label", "tick", box, event);
    const next = [...kinds.children].find((other) => other.textContent > event);
    kinds.insertBefore(label, next ?? null);
  }

  return {
    clear: list.clear,
    update({ events = [] }) {
      events.forEach(({ event }) => addKind(event));
      list.add(events);
    },
    show: list.show,
  };
}
