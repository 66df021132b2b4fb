// Lines of a plot that lie on each other: each of them is seen, and all of each is drawn.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTurns } from '../assets/plot.js';

test('lines that coincide take turns, and others are drawn whole', () => {
  const shared = ['0 0', '1 0', '2 0'];
  const parts = inTurns([shared, [...shared.slice(0, 2), '2 9'], ['0 5', '1 5', '2 5']]);
  assert.deepEqual(parts, [
    { line: 0, path: 'M0 0L1 0', turn: 0, turns: 2 }, { line: 0, path: 'M1 0L2 0', turn: 0, turns: 1 },
    { line: 1, path: 'M0 0L1 0', turn: 1, turns: 2 }, { line: 1, path: 'M1 0L2 9', turn: 0, turns: 1 },
    { line: 2, path: 'M0 5L1 5L2 5', turn: 0, turns: 1 },
  ]);
});

test('a single value is a point', () => {
  assert.deepEqual(inTurns([['3 4']]), [{ line: 0, path: 'M3 4h0', turn: 0, turns: 1 }]);
  assert.deepEqual(inTurns([[]]), []);
});
