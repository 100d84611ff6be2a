// Announcements to screen readers.

const announcer = document.getElementById("announcer");

/** Have a screen reader say `sentence`, when it has said what it is saying. */
export function announce(sentence) {
  announcer.textContent = sentence;
}
