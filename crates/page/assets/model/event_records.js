// Translates an event into the records that the fold needs. Other channels, failures and broken payloads make none.
// A record names robots and planets by their numbers in the log.

import { RESOURCE_KINDS, UPGRADES, kindNumber } from './kinds.js';
import * as operation from './operations.js';

/**
 * @param {{robotNumber: Function, planetIndex: Function}} names
 * @param {string} service
 * @param {{channel: string, headers?: object, payload: any, about?: object}} event
 * @param {(operation: number, a?: number, b?: number, c?: number, d?: number) => void} push
 */
export function recordsOf(names, service, event, push) {
  const translate = TRANSLATORS[service]?.[event.channel];
  const payload = event.payload;
  if (!translate || typeof payload !== 'object' || payload === null || payload.success === false) return;
  const about = event.about ?? {};
  translate({ names, payload, about, push, type: event.headers?.type });
}

const TRANSLATORS = {
  trading: { trades },
  robot: {
    'spawn-notification': spawned,
    movement,
    mining,
    regeneration,
    fighting,
    'robot-destroyed': destroyed,
    'resource-distribution': distributed,
  },
  map: { 'resource-mined': depositMined, 'resource-replenished': replenished },
};

function trades({ names, payload, about, push, type }) {
  if (type === 'buy-robot' && Array.isArray(payload.data)) {
    for (const bought of payload.data) {
      const robot = names.robotNumber(bought?.id, bought?.player);
      if (robot >= 0) push(operation.BOUGHT, robot, names.planetIndex(bought.planet), told(bought.health), told(bought.energy));
    }
    return;
  }
  const robot = names.robotNumber(about.robotId, about.playerId);
  if (robot < 0) return;
  if (type === 'sell-resource') push(operation.SOLD, robot);
  if (type === 'buy-item') boughtItem(robot, String(payload.message), push);
}

/** What was bought is told by the sentence only. */
function boughtItem(robot, message, push) {
  const [, name, level] = /^(\w+) of robot \S+ has been updated to LVL(\d)/.exec(message) ?? [];
  if (UPGRADES.includes(name)) push(operation.UPGRADED, robot, UPGRADES.indexOf(name), Number(level));
  else if (message.endsWith('health restored')) push(operation.HEALTH_RESTORED, robot);
  else if (message.endsWith('energy restored')) push(operation.ENERGY_RESTORED, robot);
}

function spawned({ names, payload, push }) {
  const robot = names.robotNumber(payload.robotId, payload.playerId);
  if (robot >= 0) push(operation.SPAWNED, robot);
}

function movement({ names, payload, about, push }) {
  const robot = names.robotNumber(about.robotId, about.playerId);
  const planet = names.planetIndex(payload.planet?.planetId);
  if (robot >= 0 && planet >= 0) push(operation.MOVED, robot, planet, told(payload.remainingEnergy));
}

function mining({ names, payload, about, push }) {
  const robot = names.robotNumber(about.robotId, about.playerId);
  const kind = kindNumber(payload.resourceType);
  if (robot >= 0) push(operation.MINED, robot, kind, told(payload.updatedInventory), told(payload.remainingEnergy));
}

function regeneration({ names, payload, about, push }) {
  const robot = names.robotNumber(about.robotId, about.playerId);
  if (robot >= 0) push(operation.REGENERATED, robot, told(payload.remainingEnergy));
}

function fighting({ names, payload, about, push }) {
  const attacker = names.robotNumber(payload.attacker, about.playerId);
  const defender = names.robotNumber(payload.defender, null);
  if (attacker < 0 || defender < 0) return;
  push(operation.FOUGHT, attacker, defender, whole(payload.remainingDefenderHealth, 0), told(payload.remainingEnergy));
}

function destroyed({ names, payload, push }) {
  const robot = names.robotNumber(payload.robotId, payload.playerId);
  if (robot >= 0) push(operation.DESTROYED_ROBOT, robot);
}

function distributed({ names, payload, about, push }) {
  const robot = names.robotNumber(payload.robotId, about.playerId);
  if (robot < 0) return;
  RESOURCE_KINDS.forEach((kind, index) => push(operation.HOLDS, robot, index + 1, whole(payload[kind], 0)));
}

function depositMined({ names, payload, push }) {
  const planet = names.planetIndex(payload.planet_id);
  const kind = kindNumber(payload.resource_type);
  if (planet < 0 || kind === 0) return;
  const robot = names.robotNumber(payload.robot_id, null);
  push(operation.DEPOSIT_MINED, planet, whole(payload.amount_left, 0), whole(payload.amount_mined, 0), (robot + 1) * 8 + kind);
}

function replenished({ names, payload, push }) {
  const planet = names.planetIndex(payload.planet_id);
  const kind = kindNumber(payload.resource_type);
  if (planet >= 0 && kind > 0) push(operation.REPLENISHED, planet, kind);
}

/** A number of at least 0, or -1 where it is not told. */
function told(value) {
  return Math.max(-1, whole(value, -1));
}

function whole(value, otherwise) {
  return Number.isFinite(value) ? Math.trunc(value) : otherwise;
}
