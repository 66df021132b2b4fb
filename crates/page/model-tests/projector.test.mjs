// Which game the projector shows: it leaves none before its end, and a result only for what has begun.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RESULT_STAYS, projectedGame } from '../assets/model/projected_game.js';
import { shownName } from '../assets/model/player_name.js';

const time = (minute) => (minute === undefined ? null : `2026-01-01T12:${String(minute).padStart(2, '0')}:00Z`);
const game = (gameId, created, started, ended) => ({
  gameId, createdAt: time(created), startedAt: time(started), endedAt: time(ended),
  gameStatus: ended !== undefined ? 'ended' : started !== undefined ? 'running' : 'created',
});

test('a game that has not ended is never left', () => {
  const others = [game('newer', 9), game('runs', 8, 9), game('over', 1, 2, 3)];
  for (const shown of [game('a', 5), game('a', 5, 6)]) {
    assert.equal(projectedGame([...others, shown], 'a', 0), 'a');
    assert.equal(projectedGame([...others, shown], 'a', 10 * RESULT_STAYS), 'a');
  }
});

test('when it is opened a running game comes first, then the newest created one, then the last result', () => {
  const over = [game('o1', 1, 2, 9), game('o2', 3, 4, 5)];
  const created = [game('c1', 6), game('c2', 8)];
  const running = [game('r1', 2, 9), game('r2', 7, 8)];
  assert.equal(projectedGame([...over, ...created, ...running], null, 0), 'r1');
  assert.equal(projectedGame([...over, ...created], null, 0), 'c2');
  assert.equal(projectedGame(over, null, 0), 'o1');
  assert.equal(projectedGame([], null, 0), null);
  assert.equal(projectedGame([...over, ...created], 'deleted', 0), 'c2');
});

test('a result goes at once for a game that was started since, and after a minute for a newer one', () => {
  const shown = game('a', 5, 6, 8);
  const [early, late] = [RESULT_STAYS - 1, RESULT_STAYS];
  assert.equal(projectedGame([shown, game('b', 1, 9)], 'a', 0), 'b');
  assert.equal(projectedGame([shown, game('b', 7, 7)], 'a', early), 'a', 'it ran all the time');
  assert.equal(projectedGame([shown, game('b', 7, 7)], 'a', late), 'b');
  assert.equal(projectedGame([shown, game('b', 9)], 'a', early), 'a');
  assert.equal(projectedGame([shown, game('b', 9)], 'a', late), 'b');
  assert.equal(projectedGame([shown, game('b', 4)], 'a', 10 * late), 'a', 'it was left behind long ago');
  assert.equal(projectedGame([shown, game('b', 1, 2, 9)], 'a', 10 * late), 'a');
});

test('a name that draws nothing is told by the id', () => {
  for (const name of [' ', '', '\u200b\u2003', undefined, null]) assert.equal(shownName(name, '0123456789ab'), 'player 456789ab');
  for (const name of ['a', ' a ', '🤖', '名', '-']) assert.equal(shownName(name, '0123456789ab'), name);
});
