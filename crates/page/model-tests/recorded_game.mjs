// The recorded game that the tests fold: four built-in bots, with fights, upgrades, exhausted deposits and replenishments.
// Its lines are those of `GET /games/{id}/replay` without fields and channels that the model does not read; `record.mjs` wrote them.
import { readFileSync } from 'node:fs';
import { GameLog } from '../assets/model/game_log.js';

const text = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');

export const lines = text('recorded.jsonl').trim().split('\n');
export const [header, ...events] = lines.map((line) => JSON.parse(line));
/** What the map and the robot service answered when the game had ended. */
export const end = JSON.parse(text('recorded-end.json'));

export function fold(ordered, head = header) {
  const log = GameLog.fromHeader(head);
  for (const event of ordered) log.append(event.service, event);
  return log;
}

/** A state as plain data, independent of the order in which robots became known. */
export function plain(log, round) {
  const state = log.stateAt(round);
  return {
    round: state.round,
    robots: state.robots().sort((a, b) => a.id.localeCompare(b.id)).map(({ playerIndex, ...robot }) => robot),
    deposits: log.planets.map((_, index) => state.depositAt(index)),
    totals: state.totals(),
  };
}

/** Numbers from 0 to 1 that follow from a seed. */
export function chances(seed) {
  let state = seed;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
}
