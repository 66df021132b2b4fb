// What the events call resources and upgrades, and what levels are worth by the rules of the game.
// A number stands for each of them in records and states; 0 is no resource.

export const RESOURCE_KINDS = ['coal', 'iron', 'gem', 'gold', 'platin'];

/** @param {unknown} name @returns {number} 1 to 5, or 0 */
export function kindNumber(name) {
  return RESOURCE_KINDS.indexOf(String(name).toLowerCase()) + 1;
}

/** @param {number} number @returns {string|null} */
export function kindName(number) {
  return RESOURCE_KINDS[number - 1] ?? null;
}

/** By the order of the levels' columns in a state. */
export const UPGRADES = ['HEALTH', 'DAMAGE', 'MINING_SPEED', 'MINING', 'MAX_ENERGY', 'ENERGY_REGEN', 'STORAGE'];

export const LEVEL_NAMES = ['health', 'damage', 'miningSpeed', 'mining', 'energy', 'energyRegen', 'storage'];

export const HEALTH_UPGRADE = UPGRADES.indexOf('HEALTH');
export const ENERGY_UPGRADE = UPGRADES.indexOf('MAX_ENERGY');

const MAX_HEALTH = [10, 25, 50, 100, 200, 500];
const MAX_ENERGY = [20, 30, 40, 60, 100, 200];

/** @param {number} level */
export function maxHealth(level) {
  return MAX_HEALTH[Math.min(level, MAX_HEALTH.length - 1)];
}

/** @param {number} level */
export function maxEnergy(level) {
  return MAX_ENERGY[Math.min(level, MAX_ENERGY.length - 1)];
}

/** What a deposit holds when it is full, where nothing tells it. */
export const USUAL_DEPOSIT = 10_000;
