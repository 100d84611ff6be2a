// A character display on the bench.

export default function display({ title }) {
  const element = document.createElement("pre");
  element.className = "lcd";
  element.ariaLabel = title;
  return {
    element,
    size: "broad",
    show({ lines, lit }) {
      const text = lines.join("\n");
      if (element.textContent !== text) element.textContent = text;
      element.classList.toggle("on", lit);
    },
  };
}
