// The display's bus: the commands and data that its controller received, and their bytes.

import { clockTime } from "/static/clock.js";

import { element, frameList } from "./frame_list.js";

export function displayBus(panel) {
  const showBytes = panel.querySelector(".each");
  const list = frameList(panel, (item) => {
    const made = element("li", item.is_bad ? "bad" : "");
    const kind = item.taken ? (item.is_data ? "data" : "command") : `0x${item.address.toString(16)}`;
    made.append(
      element("time", "", clockTime(item.t, 6)),
      element("span", "from", kind),
      element("code", "", item.is_bad ? element("mark", "", item.bus) : item.taken || item.bus),
      element("span", "means", item.means),
    );
    if (showBytes.checked && item.taken) made.append(element("code", "raw", item.bus));
    return made;
  });
  showBytes.addEventListener("change", list.refresh);

  return {
    clear: list.clear,
    update: ({ display = [] }) => list.add(display),
    show: list.show,
  };
}
