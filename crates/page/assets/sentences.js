// One plain sentence per event, for people who do not read JSON.
// A channel that is not known here is named, never hidden.

import { number } from './format.js';
import { shownName } from './model/player_name.js';
import { resourceOf } from './palette.js';

const text = (value) => String(value ?? '');
const signed = (value) => (value > 0 ? `+${number(value)}` : number(value));

const ROSTER = {
  joined: (player) => `${player} joined`,
  left: (player) => `${player} left the game`,
  started: () => 'The game started',
  ended: () => 'The game ended',
  deleted: () => 'The game was deleted',
};

const CLOCK = { paused: 'Paused', resumed: 'Resumed', stepped: 'Stepped', pace: 'The pace was changed' };

/** Where an event did not succeed, what the service said about it. */
const unless = (payload, player, sentence) =>
  payload.success === false ? `${player} could not: ${text(payload.message)}` : sentence;

const BY_CHANNEL = {
  status: ({ status }) => `The game is ${status}`,
  playerStatus: ({ name, playerId }) => `${shownName(name, playerId)} takes part`,
  gameRoster: ({ change, playerId }, who) => ROSTER[change]?.(playerId ? who.name(playerId) : '') ?? `Roster: ${text(change)}`,
  roundStatus: ({ roundNumber, roundStatus }) => `Round ${number(roundNumber)}: ${text(roundStatus)}`,
  gameClock: ({ change, roundNumber }) => `${CLOCK[change] ?? text(change)} in round ${number(roundNumber)}`,
  scores: ({ roundNumber }) => `Round ${number(roundNumber)} was scored`,
  'spawn-notification': ({ playerId }, who) => `${who.name(playerId)} got a new robot`,
  neighbours: (_, who) => `${who.player} sees the neighbours of its planet`,
  movement: (payload, who) => unless(payload, who.player, `${who.player} moved to ${who.planet(payload.planet?.planetId)}`),
  fighting: (payload, who) => unless(payload, who.player,
    `${who.player} attacked a robot${payload.remainingDefenderHealth === 0 ? ' and destroyed it' : ` (${number(payload.remainingDefenderHealth)} health left)`}`),
  'robot-destroyed': ({ playerId }, who) => `A robot of ${who.name(playerId)} was destroyed`,
  mining: (payload, who) => unless(payload, who.player,
    `${who.player} mined ${resourceOf(payload.resourceType)?.label.toLowerCase() ?? text(payload.resourceType)}`),
  regeneration: (payload, who) => unless(payload, who.player, `${who.player} regained energy`),
  'resource-distribution': (_, who) => `${who.player} received mined resources`,
  'bank-created': ({ money, playerId }, who) => `${who.name(playerId)} begins with ${number(money)} money`,
  'current-item-prices': () => 'Prices of items were announced',
  'current-resource-prices': () => 'Prices of resources were announced',
  trades: (payload, who, type) => unless(payload, who.player,
    `${who.player} ${type === 'buy-robot' ? 'bought a robot' : type.startsWith('sell') ? 'sold resources' : 'bought an item'} (${signed(payload.moneyChangedBy)} money)`),
  'gameworld-created': ({ spacestation_ids }) => `The world was made, with ${spacestation_ids?.length ?? 0} space stations`,
  'spacestation-created': ({ planet_id }, who) => `There is a space station on ${who.planet(planet_id)}`,
  'resource-mined': ({ amount_mined, amount_left, resource_type, planet_id }, who) =>
    `${number(amount_mined)} ${text(resource_type)} was mined on ${who.planet(planet_id)}, ${number(amount_left)} is left`,
  'resource-replenished': (payload, who) => `A deposit was replenished on ${who.planet(payload.planet_id)}`,
};

/**
 * @param {{ channel: string, headers: object, payload: any, about?: object }} event
 * @param {{ name: (playerId: string) => string, planet: (planetId: string) => string }} names
 */
export function sentenceOf(event, names) {
  const say = BY_CHANNEL[event.channel];
  if (!say) return event.channel;
  const playerId = event.about?.playerId;
  const who = { ...names, player: playerId ? names.name(playerId) : 'A player' };
  return say(event.payload ?? {}, who, text(event.headers?.type));
}
