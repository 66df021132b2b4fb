// A game before its start: the command for more bots is shown as long as there are seats for them, and for no more than that.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNoFaults, inspect, open, openBeside } from './browser.mjs';
import { Server } from './server.mjs';
import { TIMEOUT } from './steps.mjs';

test('bots are suggested for the seats that are free', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const { gameId } = await server.create({ maxPlayers: 3 });
  const page = await open(server, `/#/games/${gameId}`);
  const projector = await openBeside(page, server, `/?projector&game=${gameId}`);
  await page.getByText(`starkeep bot --count 3 --game-url ${server.url}`).waitFor();
  await projector.getByText(`starkeep bot --game-url ${server.url}`).waitFor();
  server.bots(3, gameId);
  await page.getByText('All 3 seats are taken').waitFor();
  assert.equal(await page.getByText('starkeep bot').count(), 0);
  await projector.getByText('With a built-in bot').waitFor({ state: 'hidden' });
  await inspect(page, 'full');
  assertNoFaults(page);
  assertNoFaults(projector);
});
