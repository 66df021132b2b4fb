// What nobody plans for: an address of no game, a name of blanks, a start without players, a very narrow phone.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FEW_LOOKS, assertNoFaults, inspect, open } from './browser.mjs';
import { Server } from './server.mjs';
import { TIMEOUT, tab } from './steps.mjs';

test('an address of no game says so, and leads back to all games', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const page = await open(server, '/');
  page.expected.push(/40[04]/);
  for (const id of ['%E0%A4%A', '00000000-0000-4000-8000-000000000000', 'nothing']) {
    await page.goto(`${server.url}/#/games/${id}`);
    await page.getByRole('heading', { name: 'There is no such game' }).waitFor();
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'No game');
    await page.getByRole('link', { name: 'All games', exact: true }).click();
    await page.getByText('No game yet').waitFor();
  }
  await page.goto(`${server.url}/#/games/nothing`);
  await page.getByRole('heading', { name: 'There is no such game' }).waitFor();
  await inspect(page, 'no-such-game', FEW_LOOKS);
  assertNoFaults(page);
});

test('a game is started without players when the host means it', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const { gameId } = await server.create();
  const page = await open(server, `/#/games/${gameId}`);
  await tab(page, 'Host');
  const start = page.getByRole('button', { name: 'Start', exact: true });
  await start.click();
  await page.getByRole('dialog', { name: 'Start without players?' }).getByText('Nobody has joined yet').waitFor();
  await inspect(page, 'start-without-players', FEW_LOOKS);
  await page.getByRole('button', { name: 'Cancel' }).click();
  assert.equal((await server.game(gameId)).gameStatus, 'created');
  await start.click();
  await page.getByRole('button', { name: 'Start game' }).click();
  await page.locator('.chip.running').waitFor();
  assertNoFaults(page);
});

test('a name of blanks is told by the id', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const { gameId } = await server.create();
  const { playerId, bearerToken } = await server.call('POST', '/players', { name: ' ', email: 'blank@example.org' });
  const joined = await server.request('PUT', `/games/${gameId}/players/${playerId}`, undefined, bearerToken);
  assert.ok(joined.ok, `${joined.status}`);
  const page = await open(server, `/#/games/${gameId}`);
  const name = `player ${playerId.slice(-8)}`;
  for (const panel of ['Scoreboard', 'Players', 'Host']) {
    await tab(page, panel);
    await page.locator('.board').getByText(name, { exact: true }).waitFor();
  }
  await tab(page, 'Events');
  await page.getByText(`${name} joined`).first().waitFor();
  assertNoFaults(page);
});

test('a long round fits into the header of a narrow phone', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const { gameId } = await server.create({ name: 'The final of the second semester', maxRounds: 1000, duration: 60_000 });
  await server.command(gameId, 'start');
  const page = await open(server, '/');
  const change = (path, values) => page.route(`**/games/${gameId}${path}`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...await response.json(), ...values } });
  });
  await change('', { currentRoundNumber: 157 });
  await change('/time', { roundCount: 157, phase: 'collection', phaseEndsInMillis: 43_500, roundTimeInMillis: 1500, paused: false });
  await page.goto(`${server.url}/#/games/${gameId}`);
  await page.locator('.clock .round', { hasText: 'Round 157 of 1,000' }).waitFor();
  await page.locator('.phase', { hasText: 'Collecting' }).waitFor();
  await page.locator('.countdown', { hasText: /^\d\d\.\d s$/ }).waitFor();
  for (const panel of ['Scoreboard', 'Players', 'Plots', 'Events', 'Host']) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await tab(page, panel);
    for (const width of [390, 360, 320]) {
      await page.setViewportSize({ width, height: 700 });
      const sticksOut = await page.evaluate(() => [...document.querySelectorAll('.top *, .timeline *, .side *')]
        .filter((node) => !node.closest('.visually-hidden, .tabs') && node.getBoundingClientRect().right > innerWidth + 0.5).map((node) => node.className || node.tagName));
      assert.deepEqual(sticksOut, [], `${panel}, ${width}`);
    }
  }
  await tab(page, 'Scoreboard');
  await inspect(page, 'narrow', [['phone', 360, 740], ['narrow', 320, 640]]);
  assertNoFaults(page);
});
