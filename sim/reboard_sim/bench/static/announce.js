// What is told to those who listen to the page: a line that nobody sees.

const announcer = document.getElementById("announcer");

/** Have a screen reader say `sentence`, when it has said what it is saying. */
export function announce(sentence) {
  announcer.textContent = sentence;
}
