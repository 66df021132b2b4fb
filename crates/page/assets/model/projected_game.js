// Which game the projector shows. Nobody touches it, so it stays where the class is looking:
// on a game until that has ended, and on its result until the next one begins.

/** So long a result stays, unless another game is started. */
export const RESULT_STAYS = 60_000;

const at = (time) => (time ? Date.parse(time) : -Infinity);
const newest = (games, field) => games.reduce((best, game) => (best && at(best[field]) >= at(game[field]) ? best : game), null);

/**
 * @param {object[]} games as `GET /games` answers them
 * @param {string|null} shownId the game on show
 * @param {number} resultFor for how many milliseconds its result has been on show
 * @returns {string|null}
 */
export function projectedGame(games, shownId, resultFor) {
  const of = (...states) => games.filter((game) => states.includes(game.gameStatus));
  const running = of('running', 'started');
  const created = of('created');
  const shown = games.find((game) => game.gameId === shownId);
  if (!shown) return (newest(running, 'startedAt') ?? newest(created, 'createdAt') ?? newest(of('ended'), 'endedAt'))?.gameId ?? null;
  if (shown.gameStatus !== 'ended') return shownId;
  const since = (list, field, time) => newest(list.filter((game) => at(game[field]) > at(time)), field);
  const next = since(running, 'startedAt', shown.endedAt)
    ?? (resultFor < RESULT_STAYS ? shown : newest(running, 'startedAt') ?? since(created, 'createdAt', shown.createdAt) ?? shown);
  return next.gameId;
}
