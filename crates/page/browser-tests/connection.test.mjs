// A server that goes away and comes back.
// The page says so, and goes on by itself.

import { test } from 'node:test';
import { assertNoFaults, inspect, open } from './browser.mjs';
import { Server } from './server.mjs';
import { TIMEOUT, roundAfter, roundShown } from './steps.mjs';

test('it says that the connection is lost, and comes back by itself', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  const gameId = await server.playing();
  const page = await open(server, `/#/games/${gameId}`);
  page.expected.push(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/);
  await roundAfter(page, 1);
  await server.halt();
  await page.getByText(/Connection lost; trying again/).waitFor();
  await inspect(page, 'lost');
  const before = await roundShown(page);
  await server.run();
  await page.getByText('Connected again').waitFor();
  await roundAfter(page, before);
  assertNoFaults(page);
});

