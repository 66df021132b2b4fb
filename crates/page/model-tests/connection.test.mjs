// A server that is away: it is asked again within a second, however long that lasts, and also where a proxy answers in its place.
// Time is the test's.
import assert from 'node:assert/strict';
import { test } from 'node:test';

globalThis.sessionStorage = { getItem: () => null };
globalThis.document = { hidden: true };
globalThis.addEventListener = globalThis.removeEventListener = () => {};
const { retryWait } = await import('../assets/retry.js');
const { EventStream } = await import('../assets/stream.js');
const { LiveSession } = await import('../assets/session.js');

/** What is due now has happened after this. */
const settled = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** Requests are answered by `answer`; how many there were, by path. */
function server(t, answer) {
  const asked = [];
  t.mock.method(globalThis, 'fetch', async (url, init) => {
    asked.push(String(url));
    return answer(String(url), init);
  });
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const pass = async (millis) => {
    t.mock.timers.tick(millis);
    await settled();
  };
  return { asked, pass };
}

test('waits grow to a second, and chance makes them up to half shorter', () => {
  const waits = (random) => [0, 1, 2, 3, 4, 5, 1000].map((failures) => retryWait(failures, () => random));
  assert.deepEqual(waits(1), [200, 400, 800, 1000, 1000, 1000, 1000]);
  assert.deepEqual(waits(0), [100, 200, 400, 500, 500, 500, 500]);
});

test('a stream that is refused is tried again once a second, however long that lasts', async (t) => {
  const { asked, pass } = server(t, async () => {
    throw new TypeError('refused');
  });
  const states = [];
  const stream = new EventStream({ url: '/events?gameId=1', after: 'end', onEvent() {}, onGap() {}, onState: (state) => states.push(state), random: () => 1 });
  t.after(() => stream.stop());
  await settled();
  for (const wait of [200, 400, 800, 1000, 1000, 1000, 1000, 1000]) {
    const before = asked.length;
    await pass(wait - 1);
    assert.equal(asked.length, before);
    await pass(1);
    assert.equal(asked.length, before + 1);
  }
  assert.ok(states.every(({ live }) => !live));
});

test('a stream is given up when the server says nothing for three times as long as it has told', async (t) => {
  for (const [told, longest] of [['1000', 3000], [null, 45_000]]) {
    await t.test(`${told}`, async (part) => {
      let say = null;
      const { pass } = server(part, async (_, { signal }) => {
        const body = new ReadableStream({ start: (controller) => {
          say = (text) => controller.enqueue(new TextEncoder().encode(text));
          signal.addEventListener('abort', () => controller.error(new Error('aborted')));
        } });
        return new Response(body, { headers: { 'content-type': 'text/event-stream', ...(told && { 'starkeep-keep-alive-millis': told }) } });
      });
      const states = [];
      const stream = new EventStream({ url: '/events?gameId=1', after: 'end', onEvent() {}, onGap() {}, onState: ({ live }) => states.push(live), random: () => 1 });
      part.after(() => stream.stop());
      await settled();
      assert.deepEqual(states, [true]);
      say(': something\n\n');
      await settled();
      await pass(longest - 1);
      assert.deepEqual(states, [true]);
      await pass(1);
      assert.deepEqual(states, [true, false]);
    });
  }
});

test('a game that a proxy cannot reach is opened once the server is back', async (t) => {
  let isAway = true;
  const json = (body, status = 200) => new Response(JSON.stringify(body), { status });
  const game = { gameId: 'g', gameStatus: 'running', maxPlayers: 2, maxRounds: 3, participatingPlayers: [] };
  const answers = { '/games/g': game, '/services': { game: '' }, '/games/g/scoreboard': [], '/games/g/scores': { gameId: 'g', rounds: [] } };
  const { asked, pass } = server(t, async (url, init) => {
    if (isAway) return new Response('<html>', { status: 502 });
    if (url.startsWith('/events')) return new Promise((_, reject) => init.signal.addEventListener('abort', () => reject(new Error('aborted'))));
    if (url.endsWith('/replay')) return json({ title: 'hidden' }, 401);
    return json(answers[url] ?? {});
  });
  const session = new LiveSession('g');
  t.after(() => session.close());
  await settled();
  assert.equal(session.store.get('error').status, 502);
  for (let attempt = 2; attempt <= 6; attempt++) {
    await pass(1000);
    assert.equal(asked.filter((url) => url === '/games/g').length, attempt);
  }
  isAway = false;
  await pass(1000);
  assert.equal(session.store.get('error'), null);
  assert.equal(session.store.get('game').gameId, 'g');
});

test('that the server is away is told once, however long each of its answers takes', async (t) => {
  const { asked, pass } = server(t, () => new Promise((resolve) => {
    // Longer than a hidden tab's frame.
    setTimeout(() => resolve(new Response('<html>', { status: 502 })), 300);
  }));
  const session = new LiveSession('g');
  t.after(() => session.close());
  const told = [];
  session.store.watch(['error'], () => told.push(session.store.get('error')?.status));
  for (let frame = 0; frame < 60; frame++) await pass(250);
  assert.ok(asked.filter((url) => url === '/games/g').length > 5);
  assert.deepEqual(told, [undefined, 502]);
});
