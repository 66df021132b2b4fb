// Where each robot is drawn: robots circle the middle of their planet, up to nine of them without overlap.
// A robot whose place changes can glide there. Where there are more than nine, they are a crowd.

export const MOST_SINGLE = 9;
export const ORBIT = 0.335;

/** Nine places on the circle: the first few are far apart, and the last lie below, where the amount of a deposit is written. */
const ANGLES = [0, 6, 2, 8, 5, 1, 7, 3, 4].map((place) => ((place * 40 - 50) * Math.PI) / 180);
/** Robots that make room for others do so in this many milliseconds. */
const SHIFT_MILLIS = 200;

export class RobotPlaces {
  constructor() {
    this.forget();
  }

  forget() {
    /** By robot: its planet (-1: not drawn) and its place in the world. */
    this.planets = new Int32Array(0);
    this.x = new Float64Array(0);
    this.y = new Float64Array(0);
    this.before = null;
    /** @type {Map<number, {fromX: number, fromY: number, start: number, end: number}>} by robot */
    this.glides = new Map();
    /** @type {Map<number, Map<number, number>>} robots by planet and player, where there are more than nine */
    this.crowds = new Map();
  }

  /** @param {number|null} now null: nothing glides */
  setState(state, planets, now) {
    const count = state.names.robotIds.length;
    const next = { planets: new Int32Array(count).fill(-1), x: new Float64Array(count), y: new Float64Array(count) };
    const byPlanet = new Map();
    state.forEachPlacedRobot((robot, planet) => {
      if (!byPlanet.has(planet)) byPlanet.set(planet, []);
      byPlanet.get(planet).push(robot);
      next.planets[robot] = planet;
    });
    this.crowds.clear();
    for (const [planet, robots] of byPlanet) {
      const { x, y } = planets[planet];
      robots.forEach((robot, order) => {
        const angle = ANGLES[order % ANGLES.length];
        next.x[robot] = x + Math.cos(angle) * ORBIT;
        next.y[robot] = y - Math.sin(angle) * ORBIT;
      });
      if (robots.length > MOST_SINGLE) this.crowds.set(planet, countByPlayer(robots, state.names.robotPlayers));
    }
    if (now === null) this.glides.clear();
    else this.#makeRoom(next, now);
    this.before = { planets: this.planets, x: this.x, y: this.y };
    Object.assign(this, next);
  }

  /** Robots that stay on their planet glide to their new place there. */
  #makeRoom(next, now) {
    const known = Math.min(this.planets.length, next.planets.length);
    for (let robot = 0; robot < known; robot += 1) {
      const stays = this.planets[robot] >= 0 && this.planets[robot] === next.planets[robot];
      if (!stays || this.glides.has(robot)) continue;
      if (this.x[robot] === next.x[robot] && this.y[robot] === next.y[robot]) continue;
      this.glides.set(robot, { fromX: this.x[robot], fromY: this.y[robot], start: now, end: now + SHIFT_MILLIS });
    }
  }

  /**
   * Lets a robot glide from where it was drawn to wherever it is drawn then. It makes no difference whether the state in
   * which it has moved was set before or after this.
   */
  glide(robot, toPlanet, start, end, now) {
    const isThere = this.planets[robot] === toPlanet;
    const from = isThere ? this.before : this;
    if (!from || !(from.planets[robot] >= 0)) return;
    const position = isThere ? { x: from.x[robot], y: from.y[robot] } : this.positionOf(robot, now);
    this.glides.set(robot, { fromX: position.x, fromY: position.y, start, end });
  }

  /** Where a robot is drawn now; also one that has just gone. @returns {{x: number, y: number}|null} */
  positionOf(robot, now) {
    const held = this.planets[robot] >= 0 ? this : this.before;
    if (!held || !(held.planets[robot] >= 0)) return null;
    const x = held.x[robot];
    const y = held.y[robot];
    const glide = this.glides.get(robot);
    if (!glide || now >= glide.end) return { x, y };
    const part = easeOut(Math.max(0, (now - glide.start) / (glide.end - glide.start)));
    return { x: glide.fromX + (x - glide.fromX) * part, y: glide.fromY + (y - glide.fromY) * part };
  }

  /** Forgets glides that have ended. @returns {boolean} whether some go on */
  settle(now) {
    for (const [robot, { end }] of this.glides) if (now >= end) this.glides.delete(robot);
    return this.glides.size > 0;
  }
}

export function easeOut(part) {
  return 1 - (1 - Math.min(part, 1)) ** 3;
}

function countByPlayer(robots, players) {
  const counts = new Map();
  for (const robot of robots) counts.set(players[robot], (counts.get(players[robot]) ?? 0) + 1);
  return counts;
}
