// The fold over a recorded game: it ends where the services themselves said that it ended.
// How the events arrive, and how often, makes no difference.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorldState } from '../assets/model/world_state.js';
import { chances, end, events, fold, header, plain } from './recorded_game.mjs';

const LAST = header.game.currentRoundNumber;

test('the game has what the other tests are about', () => {
  const channels = new Set(events.map(({ headers }) => headers.type));
  for (const type of ['movement', 'mining', 'fighting', 'robot-destroyed', 'regeneration', 'resource-replenished', 'buy-item']) assert.ok(channels.has(type), type);
  assert.ok(events.some(({ channel, payload }) => channel === 'resource-mined' && payload.amount_left === 0));
});

test('the deposits end as the map answered', () => {
  const log = fold(events);
  const state = log.stateAt(log.lastRound);
  const folded = log.planets.flatMap(({ id }, index) => {
    const deposit = state.depositAt(index);
    return deposit ? [{ id, resource_type: deposit.kind, max_amount: deposit.max, current_amount: deposit.amount }] : [];
  });
  const byId = (a, b) => a.id.localeCompare(b.id);
  assert.deepEqual(folded.sort(byId), end.deposits.toSorted(byId));
});

test('the robots end as the robot service answered', () => {
  const log = fold(events);
  const folded = log.stateAt(log.lastRound).robots();
  assert.equal(folded.length, end.robots.length);
  for (const robot of folded) {
    const told = end.robots.find(({ id }) => id === robot.id);
    const { health, energy, maxHealth, maxEnergy, inventory: held } = told;
    assert.deepEqual(
      robot,
      {
        id: told.id, playerIndex: log.playerIndex(told.player), playerId: told.player, planetId: told.planet,
        health, maxHealth, energy, maxEnergy,
        levels: {
          health: told.healthLevel, damage: told.damageLevel, miningSpeed: told.miningSpeedLevel, mining: told.miningLevel,
          energy: told.energyLevel, energyRegen: told.energyRegenLevel, storage: told.storageLevel,
        },
        inventory: { coal: held.storedCoal, iron: held.storedIron, gem: held.storedGem, gold: held.storedGold, platin: held.storedPlatin },
      },
    );
  }
});

test('every past state is the same from snapshots as from the start', (context) => {
  const log = fold(events);
  assert.equal(log.lastRound, LAST);
  // There is a snapshot after every round that has records, if states seem to take no room.
  context.mock.getter(WorldState.prototype, 'words', () => 0);
  log.stateAt(LAST);
  assert.ok(log.history.snapshots.length > 10);
  for (let round = LAST; round >= 0; round -= 1) {
    const fresh = fold(events.filter(({ about }) => (about.roundNumber ?? 0) <= round));
    assert.deepEqual({ ...plain(log, round), round }, { ...plain(fresh, round), round });
  }
});

test('what is told late of a past round is seen in it and in all after it', (context) => {
  context.mock.getter(WorldState.prototype, 'words', () => 0);
  const late = events.filter(({ service, about }) => service === 'map' && about.roundNumber > 3 && about.roundNumber < 8);
  const log = fold(events.filter((event) => !late.includes(event)));
  for (let round = 0; round <= LAST; round += 1) log.stateAt(round);
  log.series();
  for (const event of late) log.append(event.service, event);
  const whole = fold(events);
  for (let round = 0; round <= LAST; round += 1) assert.deepEqual(plain(log, round), plain(whole, round));
  assert.deepEqual(log.series(), whole.series());
});

test('services that arrive in any interleaving give the same end', () => {
  const expected = fold(events);
  for (let seed = 1; seed <= 20; seed += 1) {
    const chance = chances(seed);
    const queues = ['game', 'map', 'robot', 'trading'].map((service) => events.filter((event) => event.service === service));
    const mixed = [];
    while (queues.some((queue) => queue.length > 0)) {
      const queue = queues[Math.floor(chance() * queues.length)];
      if (queue.length > 0) mixed.push(queue.shift());
    }
    const log = fold(mixed);
    for (let round = 0; round <= LAST; round += 1) assert.deepEqual(plain(log, round), plain(expected, round), `seed ${seed}`);
  }
});

test('doubled events change nothing', () => {
  const once = fold(events);
  const twice = fold([...events.flatMap((event) => [event, event]), ...events]);
  for (let round = 0; round <= LAST; round += 1) assert.deepEqual(plain(twice, round), plain(once, round));
  assert.deepEqual(twice.series(), once.series());
  assert.deepEqual(twice.append(events.at(-1).service, events.at(-1)), []);
});

test('a service goes on after its last position, in whichever order its events were read', () => {
  const log = fold(events.toReversed());
  for (const service of ['game', 'map', 'robot', 'trading']) {
    const numbers = events.filter((event) => event.service === service).map(({ id }) => Number(id.split('-')[1]));
    assert.equal(Number(log.lastId(service).split('-')[1]), Math.max(...numbers), service);
  }
  assert.equal(log.lastId('nobody'), null);
});

test('the effects of a round are those that its events had when they arrived', () => {
  const log = fold([]);
  const arrived = new Map();
  for (const event of events) {
    for (const effect of log.append(event.service, event)) {
      if (!arrived.has(effect.round)) arrived.set(effect.round, []);
      arrived.get(effect.round).push(effect);
    }
  }
  const sorted = (effects) => effects.map((effect) => JSON.stringify(effect, Object.keys(effect).sort())).sort();
  for (let round = 1; round <= LAST; round += 1) assert.deepEqual(sorted(log.effectsIn(round)), sorted(arrived.get(round) ?? []), `round ${round}`);
  const kinds = new Set([...arrived.values()].flat().map(({ kind }) => kind));
  assert.deepEqual([...kinds].sort(), ['death', 'fight', 'mine', 'move', 'replenish', 'spawn']);
});

test('the figures of all rounds agree with the events', () => {
  const series = fold(events).series();
  const count = (channel) => events.filter((event) => event.channel === channel && event.payload.success !== false).length;
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
  assert.deepEqual([sum(series.minings), sum(series.fights), sum(series.deaths)], [count('mining'), count('fighting'), count('robot-destroyed')]);
  assert.equal(series.rounds.length, LAST + 1);
  for (const kind of ['coal', 'iron', 'gem', 'gold', 'platin']) {
    const made = header.planets.filter(({ resource }) => resource?.resource_type === kind);
    assert.equal(series.deposits[kind][0], sum(made.map(({ resource }) => resource.current_amount)));
    const left = end.deposits.filter((deposit) => deposit.resource_type === kind);
    assert.equal(series.deposits[kind][LAST], sum(left.map(({ current_amount: amount }) => amount)));
  }
});
