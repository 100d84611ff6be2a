// An LED ring on the bench. The first LED is at the top.

import { text } from "/static/text.js";

export default function ring({ title }) {
  const element = document.createElement("div");
  element.className = "ring";
  element.role = "img";
  return {
    element,
    show({ colours }) {
      while (element.children.length < colours.length) element.append(document.createElement("i"));
      while (element.children.length > colours.length) element.lastChild.remove();
      colours.forEach((colour, place) => {
        const led = element.children[place];
        led.style.setProperty("--colour", colour);
        led.style.setProperty("--dark", colour === "#000000" ? 1 : 0);
        led.style.setProperty("--place", place / colours.length);
      });
      element.ariaLabel = text("{title}: {lit} of {count} lit", { title, lit: colours.filter((colour) => colour !== "#000000").length, count: colours.length });
    },
  };
}
