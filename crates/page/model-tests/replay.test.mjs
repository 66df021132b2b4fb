// Reading a replay: however it is cut into pieces it is the same game, and what is broken is answered with a clear sentence.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReplayError, readReplay } from '../assets/replay/read_replay.js';
import { events, fold, header, lines, plain } from './recorded_game.mjs';

const LAST = header.game.currentRoundNumber;
const blob = (...parts) => new Blob([parts.join('\n')]);

function stream(text, pieceLength) {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.slice(at, (at += pieceLength)));
    },
  });
}

async function refusal(...parts) {
  const error = await readReplay(blob(...parts)).then(() => null, (thrown) => thrown);
  assert.ok(error instanceof ReplayError, String(error));
  return error.message;
}

test('a file and a stream in pieces of any length are the same game', async () => {
  const expected = plain(fold(events), LAST);
  const named = { ...header, players: [{ playerId: header.players[0].playerId, name: 'Zoë 🚀' }] };
  for (const pieceLength of [1, 7, 1000, 1e7]) {
    const few = [JSON.stringify(named), ...lines.slice(1, pieceLength === 1 ? 40 : undefined)].join('\n');
    const log = await readReplay(stream(few, pieceLength));
    assert.equal(log.players[0].name, 'Zoë 🚀');
    if (pieceLength > 1) assert.deepEqual(plain(log, LAST).deposits, expected.deposits);
  }
  assert.deepEqual(plain(await readReplay(blob(...lines)), LAST), expected);
  assert.deepEqual(plain(await readReplay(blob(...lines, '', '')), LAST), expected);
});

test('each event is handed on, and the progress ends with all of the file', async () => {
  const seen = [];
  const progress = [];
  const file = blob(...lines);
  await readReplay(file, (now) => progress.push(now), (service, event) => seen.push([service, event.id]));
  assert.deepEqual(seen, events.map(({ service, id }) => [service, id]));
  assert.deepEqual(progress.at(-1), { bytes: file.size, totalBytes: file.size, events: events.length });
});

test('what is no replay is refused with a reason', async () => {
  const head = (changes) => JSON.stringify({ ...header, ...changes });
  assert.match(await refusal(''), /empty/);
  assert.match(await refusal('\n\n'), /empty/);
  assert.match(await refusal('<html>'), /no Starkeep replay/);
  assert.match(await refusal('{"format":"other"}'), /no Starkeep replay/);
  assert.match(await refusal('null'), /no Starkeep replay/);
  assert.match(await refusal(head({ version: 2 })), /version 2/);
  assert.match(await refusal(head({ planets: {} })), /"planets"/);
  assert.match(await refusal(head({ planets: [{ id: 'a', x: 0, y: 'one' }] })), /"planets"/);
  assert.match(await refusal(head({ planets: [{ id: 'a', x: 0, y: 1, resource: {} }] })), /"planets"/);
  assert.match(await refusal(head({ players: [{}] })), /"players"/);
});

test('a broken line is named', async () => {
  assert.match(await refusal(lines[0], lines[1], lines[2].slice(0, 30)), /Line 3 .* cut off/);
  assert.match(await refusal(lines[0], '{"service":"weather","channel":"rain"}'), /Line 2 .* no event/);
  assert.match(await refusal(lines[0], 'null'), /Line 2 .* no event/);
  assert.match(await refusal(lines[0], '{"service":"map"}'), /Line 2 .* no event/);
});
