// A host's way through the page: a game from its creation to its end.
// Everything waits for what it wants to see; nothing waits for time to pass.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNoFaults, inspect, open } from './browser.mjs';
import { Server, until } from './server.mjs';
import { TIMEOUT, roundAfter, roundShown, tab } from './steps.mjs';

test('a host creates, starts, pauses, steps and ends a game', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const page = await open(server);
  await page.getByText('No game yet').waitFor();
  await inspect(page, 'no-game');

  await page.getByRole('button', { name: 'New game' }).first().click();
  await page.getByLabel('Name').fill('<b>Class of 2026</b>');
  assert.equal(await page.getByLabel('Seconds a round').getAttribute('placeholder'), '60');
  assert.equal(await page.getByLabel('Money at the start').getAttribute('placeholder'), '200');
  await page.getByLabel('Seconds a round').fill('1');
  await page.getByLabel('Money at the start').fill('1500');
  await inspect(page, 'create');
  await page.getByRole('button', { name: 'Create game' }).click();
  await page.getByText('Waiting for players').waitFor();
  await inspect(page, 'waiting');
  const gameId = (await server.call('GET', '/games'))[0].gameId;

  server.bots(3, gameId);
  await until(async () => (await server.game(gameId)).participatingPlayers.length === 3);
  await page.getByText('Start the game in the Host tab').waitFor();
  await tab(page, 'Host');
  await page.getByRole('button', { name: 'Start' }).click();
  await roundAfter(page, 1);

  await tab(page, 'Scoreboard');
  await page.waitForFunction(() => document.querySelectorAll('.board tbody tr').length === 3);
  const board = () => page.locator('.board tbody').innerText();
  const first = await board();
  await tab(page, 'Events');
  await page.getByLabel('Channel').selectOption('movement');
  await page.getByText(/moved to planet \d+,\d+/).first().waitFor();
  await page.getByLabel('Channel').selectOption('');
  await page.waitForFunction(() => [...document.querySelector('[aria-label=Channel]').options].some((one) => one.value === 'mining'));
  await page.getByLabel('Channel').selectOption('mining');
  await page.getByText(/mined (coal|iron|gem|gold|platin)/).first().waitFor();
  await tab(page, 'Scoreboard');
  await page.waitForFunction((before) => document.querySelector('.board tbody').innerText !== before, first);
  await inspect(page, 'running');
  await tab(page, 'Plots');
  await page.getByRole('img', { name: /Deposits left over/ }).waitFor();
  await inspect(page, 'plots');

  await tab(page, 'Host');
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.locator('.chip.paused').waitFor();
  // The page's clock may have gone over a boundary before it heard of the pause; it goes back to where the server stands.
  const paused = (await server.game(gameId)).currentRoundNumber;
  await page.locator('.clock .round', { hasText: new RegExp(`^Round ${paused} of`) }).waitFor();
  await page.getByRole('button', { name: 'Step' }).click();
  await roundAfter(page, paused);
  assert.equal(await roundShown(page), paused + 1);
  await inspect(page, 'paused');

  const slider = page.getByRole('slider', { name: 'Round on show' });
  await slider.fill('1');
  await tab(page, 'Scoreboard');
  await page.getByText('As it was after round 1.').waitFor();
  await inspect(page, 'past-round');
  await page.getByRole('button', { name: 'Live' }).click();

  await tab(page, 'Host');
  await page.getByRole('button', { name: 'End', exact: true }).click();
  await page.getByRole('dialog').waitFor();
  await inspect(page, 'end-dialog');
  await page.getByRole('button', { name: 'End game' }).click();
  await page.locator('.chip.ended').waitFor();
  assertNoFaults(page);
});

