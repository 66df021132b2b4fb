// The state of a world at the end of a round: the deposits of its planets, and its robots.
// Kept in typed arrays, so that copying a large state takes a fraction of a millisecond.

import { ENERGY_UPGRADE, HEALTH_UPGRADE, LEVEL_NAMES, RESOURCE_KINDS, kindName, maxEnergy, maxHealth } from './kinds.js';

/** The columns of a robot's row; seven levels and five resources have a column each. */
export const STATUS = 0;
export const PLANET = 1;
export const HEALTH = 2;
export const ENERGY = 3;
export const LEVELS = 4;
export const STOCK = LEVELS + LEVEL_NAMES.length;
export const COLUMNS = STOCK + RESOURCE_KINDS.length;

/** Values of STATUS; 0 is "not there yet". */
export const ALIVE = 1;
export const DESTROYED = 2;

export class WorldState {
  /**
   * @param {object} names who and where: `planets`, `robotIds`, `robotPlayers`, `players` of the log, which only grow
   * @param {number} round
   */
  constructor(names, round, robotCapacity, depositKind, depositAmount, depositMax, depositTotals) {
    this.names = names;
    this.round = round;
    this.depositKind = depositKind;
    this.depositAmount = depositAmount;
    this.depositMax = depositMax;
    this.depositTotals = depositTotals;
    this.cells = new Int32Array(robotCapacity * COLUMNS);
    for (let row = 0; row < this.cells.length; row += COLUMNS) this.cells.fill(-1, row + PLANET, row + ENERGY + 1);
  }

  /** The world as it was made, before round 0. @param {Array<{kind: number, amount: number, max: number}|null>} deposits by planet */
  static asMade(names, deposits) {
    const count = deposits.length;
    const numbers = () => new Int32Array(count);
    const empty = new WorldState(names, -1, 0, new Uint8Array(count), numbers(), numbers(), new Float64Array(6));
    deposits.forEach((deposit, planet) => {
      if (deposit) empty.setDeposit(planet, deposit.kind, deposit.amount, deposit.max);
    });
    return empty;
  }

  /** @param {number} robotCapacity at least as many as there are here */
  copy(robotCapacity) {
    const copied = new WorldState(
      this.names, this.round, robotCapacity,
      this.depositKind.slice(), this.depositAmount.slice(), this.depositMax.slice(), this.depositTotals.slice(),
    );
    copied.cells.set(this.cells);
    return copied;
  }

  setAmount(planet, amount) {
    this.depositTotals[this.depositKind[planet]] += amount - this.depositAmount[planet];
    this.depositAmount[planet] = amount;
  }

  setDeposit(planet, kind, amount, max) {
    this.setAmount(planet, 0);
    this.depositKind[planet] = kind;
    this.depositMax[planet] = max;
    this.setAmount(planet, amount);
  }

  /** How much room it takes, in words of four bytes. */
  get words() {
    return this.cells.length + this.depositKind.length * 2.25;
  }

  /** @returns {{kind: string, amount: number, max: number}|null} */
  depositAt(planetIndex) {
    const kind = kindName(this.depositKind[planetIndex]);
    return kind && { kind, amount: this.depositAmount[planetIndex], max: this.depositMax[planetIndex] };
  }

  /** What all deposits of a kind hold together. @returns {Record<string, number>} */
  totals() {
    return Object.fromEntries(RESOURCE_KINDS.map((kind, index) => [kind, this.depositTotals[index + 1]]));
  }

  /** Living robots whose planet is known. @param {(robot: number, planet: number, player: number) => void} visit */
  forEachPlacedRobot(visit) {
    const { cells, names } = this;
    const count = cells.length / COLUMNS;
    for (let robot = 0; robot < count; robot += 1) {
      const row = robot * COLUMNS;
      if (cells[row + STATUS] === ALIVE && cells[row + PLANET] >= 0) visit(robot, cells[row + PLANET], names.robotPlayers[robot]);
    }
  }

  robotCount() {
    let count = 0;
    for (let row = 0; row < this.cells.length; row += COLUMNS) count += this.cells[row + STATUS] === ALIVE ? 1 : 0;
    return count;
  }

  /** All living robots. */
  robots() {
    const all = [];
    for (let robot = 0; robot * COLUMNS < this.cells.length; robot += 1) {
      if (this.cells[robot * COLUMNS + STATUS] === ALIVE) all.push(this.robot(robot));
    }
    return all;
  }

  /** @param {number} robot its index; what no event has told is null */
  robot(robot) {
    const { cells, names } = this;
    const row = robot * COLUMNS;
    const told = (value) => (value < 0 ? null : value);
    const level = (which) => cells[row + LEVELS + which];
    const playerIndex = names.robotPlayers[robot];
    return {
      id: names.robotIds[robot],
      playerIndex,
      playerId: names.players[playerIndex]?.playerId ?? null,
      planetId: names.planets[cells[row + PLANET]]?.id ?? null,
      health: told(cells[row + HEALTH]),
      maxHealth: maxHealth(level(HEALTH_UPGRADE)),
      energy: told(cells[row + ENERGY]),
      maxEnergy: maxEnergy(level(ENERGY_UPGRADE)),
      levels: Object.fromEntries(LEVEL_NAMES.map((name, which) => [name, level(which)])),
      inventory: Object.fromEntries(RESOURCE_KINDS.map((kind, index) => [kind, cells[row + STOCK + index]])),
    };
  }
}
