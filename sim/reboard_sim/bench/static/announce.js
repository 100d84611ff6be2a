// Announcements to screen readers.

const announcer = document.getElementById("announcer");

/** Have a screen reader say `sentence` after what it is saying now. */
export function announce(sentence) {
  announcer.textContent = sentence;
}
