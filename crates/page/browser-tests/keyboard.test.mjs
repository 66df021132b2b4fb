// A game is created, started, scrubbed and ended without a pointer: Tab, Enter, arrows and letters only.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNoFaults, inspect, open } from './browser.mjs';
import { Server, until } from './server.mjs';
import { TIMEOUT, roundAfter, tabTo } from './steps.mjs';

test('a host needs no pointer', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const page = await open(server);
  const press = (...keys) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  await page.getByText('No game yet').waitFor();
  const fillIn = async () => {
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('By keys');
    await tabTo(page, 'Rounds');
    await press('ArrowUp');
    await tabTo(page, 'Seconds a round');
    await page.keyboard.type('1');
    await tabTo(page, 'World');
    await press('ArrowDown', 'ArrowDown');
  };
  await tabTo(page, 'New game');
  await fillIn();
  await press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'New game', 'the focus is back where it was');
  await fillIn();
  await tabTo(page, 'Create game');
  await press('Enter');
  await page.getByText('Waiting for players').waitFor();
  const [game] = await server.call('GET', '/games');
  assert.deepEqual([game.name, game.maxRounds, game.roundLengthInMillis], ['By keys', 101, 1000]);

  server.bots(2, game.gameId);
  await until(async () => (await server.game(game.gameId)).participatingPlayers.length === 2);
  await tabTo(page, 'Scoreboard');
  await press('ArrowLeft');
  await page.getByRole('tab', { name: 'Host', selected: true }).waitFor();
  await page.getByRole('button', { name: 'Start', disabled: false }).waitFor();
  await tabTo(page, 'Start');
  await inspect(page, 'focus');
  await press('Enter');
  await roundAfter(page, 2);
  await tabTo(page, 'Pause');
  await press('Enter');
  await page.locator('.chip.paused').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Resume', 'the focus is on what took its place');
  await tabTo(page, 'Round on show', 'Shift+Tab');
  await press('Home', 'ArrowRight');
  await page.locator('.timeline output', { hasText: 'Round 1 of' }).waitFor();
  await tabTo(page, 'End');
  await press('Enter');
  await page.getByRole('dialog').waitFor();
  await tabTo(page, 'End game');
  await press('Enter');
  await page.locator('.chip.ended').waitFor();
  assertNoFaults(page);
});
