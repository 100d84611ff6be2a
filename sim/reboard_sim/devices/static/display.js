// A character display on the bench.

export default function display({ title }) {
  const element = document.createElement("pre");
  element.className = "lcd";
  element.ariaLabel = title;
  return {
    element,
    show({ lines, backlight }) {
      const text = lines.join("\n");
      if (element.textContent !== text) element.textContent = text;
      element.classList.toggle("on", backlight);
    },
  };
}
