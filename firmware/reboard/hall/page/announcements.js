// What screen readers say of the tables that a view shows.

import { announce } from "/static/announce.js";
import { text, withColon } from "/static/text.js";
import { announcement } from "/static/words.js";

/** `isShown(name)`: whether the view has the table with a name. */
export function announcements(isShown) {
  const known = new Map();
  return {
    draw(tables, changed) {
      for (const name of [...changed].filter(isShown)) {
        const [before, now] = [known.get(name), tables.get(name)];
        if (before && now) for (const said of news(before, now)) announce(withColon(name, said));
        known.set(name, now);
      }
    },
  };
}

/** What has happened at a table, as sentences. */
function news(before, now) {
  if (now.stale !== before.stale) return [now.stale ? text("no connection to the table.") : text("the table is back.")];
  const { game, deal, ended, faults } = now;
  const events = [
    game !== null && game !== before.game && { event: "game.started", game },
    deal !== before.deal && { event: deal ? "deal.started" : "deal.ended" },
    ended && !before.ended && { event: "game.ended", ...ended },
    ...Object.keys(faults).filter((part) => !(part in before.faults)).map((part) => ({ event: "fault", part })),
    ...Object.keys(before.faults).filter((part) => !(part in faults)).map((part) => ({ event: "recovered", part })),
  ];
  return events.filter(Boolean).map((event) => announcement(event, now));
}
