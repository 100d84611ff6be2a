// The caption of an accessory: the next step.

/** Return a function that shows what `sentence()` returns, unless that is empty, in the element with this id. */
export function caption(id, sentence) {
  const element = document.getElementById(id);
  return () => {
    const text = sentence();
    if (text && element.textContent !== text) element.textContent = text;
  };
}
