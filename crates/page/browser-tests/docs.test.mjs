// `/docs` of all four services, as a browser shows them.

import { test } from 'node:test';
import { assertNoFaults, inspect, open } from './browser.mjs';
import { SERVICES, Server } from './server.mjs';
import { TIMEOUT } from './steps.mjs';

test('the descriptions of all services can be read by everybody', TIMEOUT, async (t) => {
  const server = await Server.start();
  t.after(() => server.stop());
  for (const service of SERVICES) {
    const page = await open({ url: server.urlOf(service) }, '/docs');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await inspect(page, `docs-${service}`);
    assertNoFaults(page);
    await page.close();
  }
});
