// `/docs` of all four services, and the guide below the one of the game service, as a browser shows them.
// They are long, so dark and phone are looked at on the shortest: all four have the same style sheet. `STARKEEP_PAGE_LONG=1` looks at all.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOOKS, assertNoFaults, inspect, open } from './browser.mjs';
import { SERVICES, Server } from './server.mjs';

const SHORTEST = 'trading';

test('the descriptions of all services can be read by everybody', { timeout: 600_000 }, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  for (const service of SERVICES) {
    const page = await open({ url: server.urlOf(service) }, '/docs');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const isAll = process.env.STARKEEP_PAGE_LONG || service === SHORTEST;
    await inspect(page, `docs-${service}`, isAll ? LOOKS : LOOKS.slice(0, 1));
    assertNoFaults(page);
    await page.close();
  }
});

test('the guide can be read by everybody, and a bot is saved', { timeout: 600_000 }, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  for (const name of ['first-bot', 'rules']) {
    const page = await open({ url: server.urlOf('game') }, '/docs');
    await page.getByRole('link', { name: 'A guide for players' }).click();
    await page.goto(`${server.urlOf('game')}/docs/${name}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await inspect(page, `guide-${name}`);
    const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'train.py' }).first().click()]);
    assert.equal(saved.suggestedFilename(), 'train.py');
    assertNoFaults(page);
    await page.close();
  }
});
