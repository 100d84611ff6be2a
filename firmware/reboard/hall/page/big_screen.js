// The view for a big screen: as many tables as fit, in turns, and then the standings.

const TURN_MS = 10_000;

export function bigScreen() {
  const list = document.getElementById("tables");
  const tables = document.getElementById("tables-view");
  const standings = document.getElementById("standings-view");
  let turn = 0;
  standings.dataset.tv = "";

  /** How many tiles fit on the screen at once. All must be visible. */
  function room(tiles) {
    const { gridTemplateColumns, rowGap } = getComputedStyle(list);
    const gap = Number.parseFloat(rowGap) || 0;
    const tallest = Math.max(...tiles.map((tile) => tile.offsetHeight));
    const columns = gridTemplateColumns.split(" ").length;
    return columns * Math.max(1, Math.floor((list.clientHeight + gap) / (tallest + gap)));
  }

  function draw() {
    tables.hidden = false;
    standings.hidden = true;
    const tiles = [...list.children];
    for (const tile of tiles) tile.hidden = false;
    if (!tiles.length) return;
    const most = room(tiles);
    const pages = Math.ceil(tiles.length / most);
    const turns = pages + (document.querySelector("#ranked tbody tr") ? 1 : 0);
    const page = turn % turns;
    tables.hidden = page === pages;
    standings.hidden = page !== pages;
    tiles.forEach((tile, i) => { tile.hidden = Math.floor(i / most) !== page; });
    document.body.dataset.turn = page;
  }

  setInterval(() => {
    turn += 1;
    draw();
  }, TURN_MS);
  window.addEventListener("resize", draw);
  return { draw };
}
