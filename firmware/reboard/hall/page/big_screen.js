// The view for a big screen: as many tables as fit, in turns, and then the standings.

const TURN_MS = 10_000;
const SCALES = [1.6, 1.4, 1.2, 1, .87, .75]; // the largest letters with which all tables fit at once, or the smallest

export function bigScreen() {
  const list = document.getElementById("tables");
  const tables = document.getElementById("tables-view");
  const standings = document.getElementById("standings-view");
  let turn = 0;
  let count = 0;
  standings.dataset.tv = "";

  /** The tiles of each turn: whole rows of them, as many as are as high as the screen. */
  function turns(tiles) {
    const rows = Map.groupBy(tiles, (tile) => tile.offsetTop);
    const found = [];
    let left = 0;
    for (const row of rows.values()) {
      const height = Math.max(...row.map((tile) => tile.offsetHeight)) + Number.parseFloat(getComputedStyle(list).rowGap);
      if (!found.length || height > left) {
        found.push([]);
        left = list.clientHeight + Number.parseFloat(getComputedStyle(list).rowGap);
      }
      left -= height;
      found.at(-1).push(...row);
    }
    return found;
  }

  function arrange() {
    tables.hidden = false;
    standings.hidden = true;
    const tiles = [...list.children];
    for (const tile of tiles) tile.hidden = false;
    let pages = [];
    for (const scale of SCALES) {
      document.body.style.setProperty("--scale", scale);
      pages = turns(tiles);
      if (pages.length <= 1) break;
    }
    if (document.querySelector("#ranked tbody tr")) pages.push([]);
    const page = pages[turn % Math.max(1, pages.length)] ?? [];
    tables.hidden = pages.length > 0 && page.length === 0;
    standings.hidden = !tables.hidden;
    for (const tile of tiles) tile.hidden = !page.includes(tile);
  }

  setInterval(() => {
    turn += 1;
    arrange();
  }, TURN_MS);
  window.addEventListener("resize", arrange);
  return {
    // what changes in a tile may wait for its turn
    draw(known) {
      if (known.size === count) return;
      count = known.size;
      arrange();
    },
  };
}
