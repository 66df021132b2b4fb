// The operations that a record can be, and the fold: how each of them changes a state.
// The fold never fails. What it is told of a robot that it does not know yet makes the robot known.

import { ENERGY_UPGRADE, HEALTH_UPGRADE, USUAL_DEPOSIT, maxEnergy, maxHealth } from './kinds.js';
import { ALIVE, COLUMNS, DESTROYED, ENERGY, HEALTH, LEVELS, PLANET, STATUS, STOCK } from './world_state.js';

/** In brackets: what the four numbers are. -1 is "not told". */
export const BOUGHT = 1; // [robot, planet, health, energy]
export const SPAWNED = 2; // [robot]
export const UPGRADED = 3; // [robot, upgrade, level]
export const HEALTH_RESTORED = 4; // [robot]
export const ENERGY_RESTORED = 5; // [robot]
export const SOLD = 6; // [robot]
export const MOVED = 7; // [robot, planet, energy]
export const MINED = 8; // [robot, kind, held, energy]
export const REGENERATED = 9; // [robot, energy]
export const FOUGHT = 10; // [attacker, defender, the defender's health, the attacker's energy]
export const DESTROYED_ROBOT = 11; // [robot]
export const HOLDS = 12; // [robot, kind, amount]
export const DEPOSIT_MINED = 13; // [planet, amount left, amount mined, (robot + 1) * 8 + kind]
export const REPLENISHED = 14; // [planet, kind]

/** @param {import('./world_state.js').WorldState} state */
export function apply(state, operation, a, b, c, d) {
  if (operation === DEPOSIT_MINED) return mineDeposit(state, a, b, d & 7);
  if (operation === REPLENISHED) return replenish(state, a, b);
  const row = a * COLUMNS;
  const { cells } = state;
  if (cells[row + STATUS] === DESTROYED) return;
  if (operation === DESTROYED_ROBOT) {
    cells[row + STATUS] = DESTROYED;
    return;
  }
  cells[row + STATUS] = ALIVE;
  switch (operation) {
    case BOUGHT:
      if (b >= 0) cells[row + PLANET] = b;
      cells[row + HEALTH] = c;
      cells[row + ENERGY] = d;
      break;
    case UPGRADED:
      upgrade(cells, row, b, c);
      break;
    case HEALTH_RESTORED:
      cells[row + HEALTH] = maxHealth(cells[row + LEVELS + HEALTH_UPGRADE]);
      break;
    case ENERGY_RESTORED:
      cells[row + ENERGY] = maxEnergy(cells[row + LEVELS + ENERGY_UPGRADE]);
      break;
    case SOLD:
      cells.fill(0, row + STOCK, row + STOCK + 5);
      break;
    case MOVED:
      if (b >= 0) cells[row + PLANET] = b;
      setEnergy(cells, row, c);
      break;
    case MINED:
      if (b > 0) cells[row + STOCK + b - 1] = c;
      setEnergy(cells, row, d);
      break;
    case REGENERATED:
      setEnergy(cells, row, b);
      break;
    case FOUGHT:
      setEnergy(cells, row, d);
      if (b >= 0) strike(cells, b * COLUMNS, c);
      break;
    case HOLDS:
      cells[row + STOCK + b - 1] = c;
      break;
    default:
  }
}

function setEnergy(cells, row, energy) {
  if (energy >= 0) cells[row + ENERGY] = energy;
}

function strike(cells, row, health) {
  if (cells[row + STATUS] === DESTROYED) return;
  cells[row + STATUS] = ALIVE;
  cells[row + HEALTH] = health;
}

/** An upgrade of the most health or energy also adds what it raises. */
function upgrade(cells, row, which, level) {
  const before = cells[row + LEVELS + which];
  cells[row + LEVELS + which] = level;
  if (which === HEALTH_UPGRADE && cells[row + HEALTH] >= 0) cells[row + HEALTH] += maxHealth(level) - maxHealth(before);
  if (which === ENERGY_UPGRADE && cells[row + ENERGY] >= 0) cells[row + ENERGY] += maxEnergy(level) - maxEnergy(before);
}

function mineDeposit(state, planet, left, kind) {
  // A deposit that nobody has told of: what was left of it is the most that is known.
  if (state.depositKind[planet] === 0) state.setDeposit(planet, kind, left, Math.max(left, USUAL_DEPOSIT));
  else state.setAmount(planet, left);
}

/**
 * A deposit that is there is filled up. A new one replaces an exhausted one of its kind, which the event does not name: all
 * exhausted deposits are replaced together, so it makes no difference which of them goes with which.
 */
function replenish(state, planet, kind) {
  if (state.depositKind[planet] === kind) {
    state.setAmount(planet, state.depositMax[planet]);
    return;
  }
  const exhausted = state.depositKind.findIndex((other, index) => other === kind && state.depositAmount[index] === 0);
  const max = exhausted < 0 ? USUAL_DEPOSIT : state.depositMax[exhausted];
  if (exhausted >= 0) state.setDeposit(exhausted, 0, 0, 0);
  state.setDeposit(planet, kind, max, max);
}
