// Every event as the table tells it, filtered by kind and by text.

import { seconds } from "./axis.js";
import { element, rows } from "./rows.js";

export function told(panel) {
  const filter = panel.querySelector(".filter");
  const kinds = panel.querySelector(".kinds");
  const boxes = new Map();
  const list = rows(panel, (item) => {
    if (!boxes.get(item.event).checked) return null;
    const { t, event, ...fields } = item;
    const text = JSON.stringify(fields);
    if (!`${event} ${text}`.toLowerCase().includes(filter.value.trim().toLowerCase())) return null;
    return element("li", "", element("time", "", seconds(t)), element("span", "from", event), element("code", "", text));
  });

  filter.addEventListener("input", list.refresh);
  panel.querySelector(".all").addEventListener("click", () => check(true));
  panel.querySelector(".none").addEventListener("click", () => check(false));

  function check(on) {
    boxes.forEach((box) => { box.checked = on; });
    list.refresh();
  }

  function seen(event) {
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
    begins: list.begins,
    news({ events = [] }) {
      events.forEach(({ event }) => seen(event));
      list.add(events);
    },
    show: list.show,
  };
}
