// Rules of the fold that the recorded game does not show, and what must not break it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GameLog } from '../assets/model/game_log.js';
import { describePlanet } from '../assets/model/planet_details.js';

const deposit = (kind, amount, max = 10_000) => ({ resource_type: kind, current_amount: amount, max_amount: max });
const planet = (id, x, y, resource = null, type = 'default', difficulty = 1) => ({
  id, x, y, movement_difficulty: difficulty, planet_type: type, resource,
});

function game(planets = [planet('a', 0, 0, deposit('coal', 5)), planet('b', 1, 0), planet('s', 0, 1, null, 'spacestation')]) {
  const log = GameLog.fromHeader({ game: {}, players: [{ playerId: 'ada', name: 'Ada' }], planets });
  let number = 0;
  const tell = (service, channel, payload, about = {}, type = channel) =>
    log.append(service, { id: `log-${(number += 1)}-x`, channel, headers: { type }, payload, about: { roundNumber: 1, ...about } });
  const buy = (id, at, roundNumber = 1) =>
    tell('trading', 'trades', { success: true, data: [{ id, player: 'ada', planet: at, health: 10, energy: 20 }] }, { roundNumber }, 'buy-robot');
  const robot = (id) => log.stateAt(log.lastRound).robots().find((one) => one.id === id);
  return { log, tell, buy, robot };
}

test('an exhausted deposit reappears elsewhere, and is gone where it was', () => {
  const { log, tell } = game([planet('a', 0, 0, deposit('coal', 5, 800)), planet('b', 1, 0), planet('c', 2, 0, deposit('iron', 7))]);
  tell('map', 'resource-mined', { planet_id: 'a', resource_type: 'coal', amount_left: 0, amount_mined: 5 });
  tell('map', 'resource-replenished', { planet_id: 'b', resource: 'new', resource_type: 'coal' });
  const state = log.stateAt(1);
  assert.deepEqual([0, 1, 2].map((index) => state.depositAt(index)), [
    null, { kind: 'coal', amount: 800, max: 800 }, { kind: 'iron', amount: 7, max: 10_000 },
  ]);
  assert.deepEqual(state.totals(), { coal: 800, iron: 7, gem: 0, gold: 0, platin: 0 });
});

test('a deposit that was begun is filled up where it is', () => {
  const { log, tell } = game();
  tell('map', 'resource-replenished', { planet_id: 'a', resource: 'same', resource_type: 'coal' });
  assert.deepEqual(log.stateAt(1).depositAt(0), { kind: 'coal', amount: 10_000, max: 10_000 });
});

test('selling empties a robot, and a share fills it', () => {
  const { tell, buy, robot } = game();
  buy('r', 'a');
  const about = { robotId: 'r', playerId: 'ada' };
  tell('robot', 'mining', { success: true, remainingEnergy: 20, updatedInventory: 2, resourceType: 'coal' }, about);
  assert.equal(robot('r').inventory.coal, 2);
  tell('trading', 'trades', { success: true, data: { coal: 2 } }, { ...about, roundNumber: 2 }, 'sell-resource');
  assert.equal(robot('r').inventory.coal, 0);
  tell('robot', 'resource-distribution', { robotId: 'r', coal: 3, iron: 1, gem: 0, gold: 0, platin: 4 }, { roundNumber: 3 });
  assert.deepEqual(robot('r').inventory, { coal: 3, iron: 1, gem: 0, gold: 0, platin: 4 });
});

test('restoring fills up to what the level allows', () => {
  const { tell, buy, robot } = game();
  const about = { robotId: 'r', playerId: 'ada' };
  buy('r', 's');
  tell('trading', 'trades', { success: true, message: 'HEALTH of robot r has been updated to LVL1' }, about, 'buy-item');
  assert.equal(robot('r').health, 25);
  tell('robot', 'fighting', { success: true, attacker: 'f', defender: 'r', remainingDefenderHealth: 3, remainingEnergy: 9 });
  assert.equal(robot('r').health, 3);
  tell('trading', 'trades', { success: true, message: 'robot r health restored' }, { ...about, roundNumber: 2 }, 'buy-item');
  assert.equal(robot('r').health, 25);
});

test('trades of a round come before its fights, also if they are heard of later', () => {
  const { tell, buy, robot } = game();
  buy('r', 's');
  tell('robot', 'fighting', { success: true, attacker: 'f', defender: 'r', remainingDefenderHealth: 4, remainingEnergy: 9 }, { roundNumber: 2 });
  tell('trading', 'trades', { success: true, message: 'robot r health restored' }, { robotId: 'r', roundNumber: 2 }, 'buy-item');
  assert.equal(robot('r').health, 4);
});

test('a move says where from and where to, live and afterwards', () => {
  const { log, tell, buy } = game();
  buy('r', 's');
  const arrived = tell('robot', 'movement', { success: true, planet: { planetId: 'a' }, remainingEnergy: 9 }, { robotId: 'r', roundNumber: 2 });
  const move = { kind: 'move', round: 2, robot: 'r', player: 'ada', from: 's', to: 'a' };
  assert.deepEqual([arrived, log.effectsIn(2)], [[move], [move]]);
});

test('failures change nothing', () => {
  const { log, tell, buy, robot } = game();
  buy('r', 'a');
  const effects = tell('robot', 'movement', { success: false, planet: { planetId: 'b' }, remainingEnergy: 1 }, { robotId: 'r' });
  assert.deepEqual([effects, robot('r').planetId, robot('r').energy], [[], 'a', 20]);
  assert.equal(log.series().fights[1], 0);
});

test('a robot that is not known yet is placed by its first move; its purchase may come later', () => {
  const { tell, buy, robot } = game();
  tell('robot', 'movement', { success: true, planet: { planetId: 'b' }, remainingEnergy: 7 }, { robotId: 'r', roundNumber: 2 });
  assert.deepEqual([robot('r').planetId, robot('r').health, robot('r').playerId], ['b', null, null]);
  buy('r', 'a', 1);
  assert.deepEqual([robot('r').planetId, robot('r').health, robot('r').energy, robot('r').playerId], ['b', 10, 7, 'ada']);
});

test('what is destroyed stays destroyed', () => {
  const { log, tell, buy } = game();
  buy('r', 'a');
  tell('robot', 'robot-destroyed', { robotId: 'r', playerId: 'ada' });
  tell('robot', 'mining', { success: true, updatedInventory: 1, resourceType: 'coal' }, { robotId: 'r' });
  assert.equal(log.stateAt(1).robotCount(), 0);
});

test('unknown channels, places and shapes are ignored', () => {
  const { log, tell } = game();
  for (const payload of [null, 7, 'text', [], {}, { success: true, data: [null, {}] }]) {
    for (const [service, channel] of [['robot', 'movement'], ['robot', 'fighting'], ['map', 'resource-mined'], ['trading', 'trades'], ['robot', 'new'], ['new', 'new']]) {
      assert.deepEqual(tell(service, channel, payload, {}, 'buy-robot'), []);
    }
  }
  tell('map', 'resource-mined', { planet_id: 'nowhere', resource_type: 'coal', amount_left: 1, amount_mined: 1 });
  tell('robot', 'movement', { success: true, planet: { planetId: 'nowhere' } }, { robotId: 'r', roundNumber: 1e12 });
  assert.deepEqual(log.append('robot', null), []);
  assert.deepEqual([log.lastRound, log.stateAt(1).robotCount(), log.stateAt(1).depositAt(0).amount], [1, 0, 5]);
});

test('a planet is described with its deposit, its robots and its neighbours', () => {
  const { log, buy } = game();
  buy('r', 's');
  const station = describePlanet(log, log.stateAt(1), 's');
  assert.deepEqual([station.title, station.ring, station.difficulty, station.deposit], ['Space station 0,1', 'outer', 1, null]);
  assert.deepEqual(station.robots.map(({ id, playerName, health }) => [id, playerName, health]), [['r', 'Ada', 10]]);
  assert.deepEqual(station.neighbours.map(({ direction, id }) => [direction, id]), [['south', 'a']]);
  assert.deepEqual(describePlanet(log, log.stateAt(1), 'a').neighbours.map(({ direction, id }) => [direction, id]), [['north', 's'], ['east', 'b']]);
  assert.equal(describePlanet(log, log.stateAt(1), 'nowhere'), null);
});
