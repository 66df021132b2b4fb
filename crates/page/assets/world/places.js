// Which planet lies where: looking planets up by cell, and those of a part of the world.
// Drawing asks for what is visible only, so it takes as long for a large world as for a small one.

export class Places {
  /** @param {Array<{id: string, x: number, y: number, difficulty: number, station: boolean}>} planets */
  constructor(planets) {
    this.planets = planets;
    this.indexes = new Map(planets.map(({ id }, index) => [id, index]));
    this.cells = new Map(planets.map(({ x, y }, index) => [key(x, y), index]));
    /** Indexes by row, from west to east. */
    this.rows = new Map();
    planets.forEach(({ y }, index) => {
      if (!this.rows.has(y)) this.rows.set(y, []);
      this.rows.get(y).push(index);
    });
    for (const row of this.rows.values()) row.sort((a, b) => planets[a].x - planets[b].x);
  }

  /** @returns {number} -1 where there is none */
  indexOf(planetId) {
    return this.indexes.get(planetId) ?? -1;
  }

  /** @returns {number} -1 for a hole */
  at(x, y) {
    return this.cells.get(key(Math.round(x), Math.round(y))) ?? -1;
  }

  /** @param {{left: number, right: number, bottom: number, top: number}} part in cells */
  *within({ left, right, bottom, top }) {
    for (let y = Math.ceil(bottom); y <= top; y += 1) {
      const row = this.rows.get(y);
      if (!row) continue;
      for (let at = this.#firstFrom(row, left); at < row.length && this.planets[row[at]].x <= right; at += 1) yield row[at];
    }
  }

  /** Where in a row the planets begin that are not further west. */
  #firstFrom(row, left) {
    let low = 0;
    let high = row.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.planets[row[middle]].x < left) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The planet nearest to a point, for keyboards; -1 in an empty world. */
  nearest(x, y) {
    const direct = this.at(x, y);
    if (direct >= 0) return direct;
    let best = -1;
    let least = Infinity;
    this.planets.forEach((planet, index) => {
      const distance = (planet.x - x) ** 2 + (planet.y - y) ** 2;
      if (distance < least) [best, least] = [index, distance];
    });
    return best;
  }
}

function key(x, y) {
  return x * 4096 + y;
}
