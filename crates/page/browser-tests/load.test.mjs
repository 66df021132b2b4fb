// How long the page is busy at a time with 10,000 planets, 1,000 robots and 100 events a second, beside an empty page.
// The numbers are printed to be read. What is asserted is only that everything has arrived.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNoFaults, open } from './browser.mjs';
import { Server } from './server.mjs';
import { drop, timelineSays } from './steps.mjs';

const SIDE = 100;
const ROBOTS = 1000;
const EVENTS = 500;
const KINDS = ['coal', 'iron', 'gem', 'gold', 'platin'];
const id = (kind, number) => `${kind}-0000-4000-8000-${String(number).padStart(12, '0')}`;

function header() {
  const planets = Array.from({ length: SIDE * SIDE }, (_, index) => ({
    id: id('planet', index), x: index % SIDE, y: Math.floor(index / SIDE), movement_difficulty: 1 + (index % 3), planet_type: 'default',
    resource: index % 3 ? null : { resource_type: KINDS[index % 5], current_amount: 9000, max_amount: 10_000 },
  }));
  const players = Array.from({ length: 20 }, (_, index) => ({ playerId: id('player', index), name: `bot-${index}` }));
  const game = { gameId: id('game', 0), name: 'Load', gameStatus: 'ended', maxRounds: 10, maxPlayers: 20, currentRoundNumber: 2, roundLengthInMillis: 2000, participatingPlayers: [], paused: false, pace: 'clock' };
  return { format: 'starkeep-replay', version: 1, game, players, gameworld: {}, planets };
}

const player = (robot) => id('player', robot % 20);
const bought = (robot) => ({
  service: 'trading', id: `t-${robot}-0`, channel: 'trades', headers: { type: 'buy-robot' }, about: { roundNumber: 1, playerId: player(robot) },
  payload: { success: true, moneyChangedBy: -100, data: [{ id: id('robot', robot), player: player(robot), planet: id('planet', robot * 7), health: 10, energy: 20 }] },
});

/** The longest task in milliseconds while `work` runs. */
async function longestTask(page, work) {
  await page.evaluate(() => {
    globalThis.longest = 0;
    globalThis.watcher = new PerformanceObserver((list) => list.getEntries().forEach((one) => (globalThis.longest = Math.max(globalThis.longest, one.duration))));
    globalThis.watcher.observe({ entryTypes: ['longtask'] });
  });
  await work();
  return page.evaluate(() => {
    globalThis.watcher.disconnect();
    return globalThis.longest;
  });
}

test('the longest task under load is told', { timeout: 180_000 }, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const page = await open(server, '/');
  await page.getByText('No game yet').waitFor();
  // The frames of five seconds, so that both are watched for the same time.
  const frames = () => page.evaluate(() => new Promise((resolve) => {
    const end = performance.now() + 5000;
    const next = () => (performance.now() < end ? requestAnimationFrame(next) : resolve());
    next();
  }));
  const empty = await longestTask(page, frames);

  const lines = [header(), ...Array.from({ length: ROBOTS }, (_, robot) => bought(robot))];
  const opening = await longestTask(page, async () => {
    await drop(page, lines.map((line) => JSON.stringify(line)).join('\n'));
    await timelineSays(page, 'Round 0 of 1');
  });
  await page.getByRole('tab', { name: 'Events' }).click();
  await page.getByRole('button', { name: 'One round on' }).click();
  const playing = await longestTask(page, () => page.evaluate(async ({ events, robots, side }) => {
    const { current } = await import('/page/main.js');
    const session = current();
    const planet = (number) => `planet-0000-4000-8000-${String(number).padStart(12, '0')}`;
    const robot = (number) => `robot-0000-4000-8000-${String(number).padStart(12, '0')}`;
    session.store.set({ viewed: null });
    // A hundred a second, however the frames fall.
    const begin = performance.now();
    let sent = 0;
    while (sent < events) {
      await new Promise(requestAnimationFrame);
      for (const due = Math.min(events, (performance.now() - begin) / 10); sent < due; sent++) {
        session.take('robot', {
          id: `r-${sent + 1}-0`, channel: 'movement', headers: {}, about: { roundNumber: 2, robotId: robot(sent % robots), playerId: `player-0000-4000-8000-${String(sent % 20).padStart(12, '0')}` },
          payload: { success: true, remainingEnergy: 10, planet: { planetId: planet((sent * 7 + 1) % (side * side)) } },
        });
      }
    }
    return session.events.items.length;
  }, { events: EVENTS, robots: ROBOTS, side: SIDE }));
  await timelineSays(page, 'Round 2 of 2');
  assert.ok(await page.locator('.event').count() > 100);
  console.log(`longest task: empty page ${empty} ms, opening 10,000 planets ${opening} ms, 100 events a second ${playing} ms`);
  assertNoFaults(page);
});
