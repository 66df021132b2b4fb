// Parts of the server in trouble: an executor that is away, and Kafka that does not answer.
// The host sees which, with the server's own words, and the game stays on show.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNoFaults, inspect, open } from './browser.mjs';
import { Server, ownHost } from './server.mjs';
import { TIMEOUT, tab } from './steps.mjs';

test('an executor and Kafka in trouble are told on top of the page', TIMEOUT, async (t) => {
  const [robots, kafka] = [`${ownHost()}:28082`, `${ownHost()}:28092`];
  const server = await Server.start('--robot-url', `http://${robots}`, '--kafka', kafka);
  t.after(() => server.stop());
  const { gameId } = await server.create();
  const page = await open(server, `/#/games/${gameId}`);
  page.expected.push(/ERR_CONNECTION_REFUSED/);
  const banner = (name) => page.getByRole('status').locator('.banner', { hasText: name });
  await banner('Robot service').waitFor();
  await banner('Kafka').waitFor();
  const { parts } = await server.call('GET', '/health');
  assert.match(await banner('Robot service').textContent(), /^Robot service\s*is unavailable/);
  assert.ok((await banner('Kafka').textContent()).includes(parts.kafka.detail.split(';')[0]));
  await page.getByText('Waiting for players').waitFor();
  await tab(page, 'Host');
  await page.locator('.part', { hasText: 'robot: degraded' }).waitFor();
  await page.locator('.part', { hasText: 'trading: ok' }).waitFor();
  assert.equal(await page.locator('.banner').count(), 2, 'the same trouble is told once');
  await inspect(page, 'trouble');
  server.spawn('serve', 'robot', '--data-dir', server.folder('robots'), '--robot-listen', robots, '--game-url', server.url, '--map-url', server.urlOf('map'));
  await banner('Robot service').waitFor({ state: 'detached' });
  await page.locator('.part', { hasText: 'robot: ok' }).waitFor();
  assertNoFaults(page);
});
