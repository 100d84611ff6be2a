// A motor on the bench: a wheel that turns.

export default function motor({ title }) {
  const element = document.createElement("div");
  element.className = "wheel";
  element.role = "img";
  return {
    element,
    show({ level, turns }) {
      element.classList.toggle("on", level > 0);
      element.style.setProperty("--turns", turns);
      element.ariaLabel = `${title}: ${Math.round(level * 100)} %`;
    },
  };
}
