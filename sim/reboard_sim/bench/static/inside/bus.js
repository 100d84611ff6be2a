// The display's bus: what its controller took, and every byte that it took for that.

import { seconds } from "./axis.js";
import { element, rows } from "./rows.js";

export function bus(panel) {
  const each = panel.querySelector(".each");
  const list = rows(panel, (item) => {
    const made = element("li", item.is_bad ? "bad" : "");
    const kind = item.taken ? (item.is_data ? "data" : "command") : `0x${item.address.toString(16)}`;
    made.append(
      element("time", "", seconds(item.t)),
      element("span", "from", kind),
      element("code", "", item.is_bad ? element("mark", "", item.bus) : item.taken || item.bus),
      element("span", "means", item.means),
    );
    if (each.checked && item.taken) made.append(element("code", "raw", item.bus));
    return made;
  });
  each.addEventListener("change", list.refresh);

  return {
    begins: list.begins,
    news: ({ display = [] }) => list.add(display),
    show: list.show,
  };
}
