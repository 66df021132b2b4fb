// What there is to say about one planet in one state, as plain data.
// How it is shown is the business of the page.

/** Generated worlds have three rings, told apart by what it costs to enter them. Worlds that are made by hand have none. */
const RINGS = { 1: 'outer', 2: 'mid', 3: 'inner' };

const DIRECTIONS = [
  ['north', 0, 1],
  ['east', 1, 0],
  ['south', 0, -1],
  ['west', -1, 0],
];

/**
 * @param {import('./game_log.js').GameLog} gameLog
 * @param {import('./world_state.js').WorldState} state
 * @param {string} planetId
 * @returns {object|null} null where there is no such planet
 */
export function describePlanet(gameLog, state, planetId) {
  const index = gameLog.planetIndex(planetId);
  if (index < 0) return null;
  const { x, y, difficulty, station } = gameLog.planets[index];
  return {
    id: planetId,
    x,
    y,
    title: `${station ? 'Space station' : 'Planet'} ${x},${y}`,
    station,
    ring: gameLog.gameworld?.style === 'custom' ? null : RINGS[difficulty] ?? null,
    difficulty,
    deposit: state.depositAt(index),
    robots: state
      .robots()
      .filter((robot) => robot.planetId === planetId)
      .map((robot) => ({ ...robot, playerName: gameLog.players[robot.playerIndex]?.name ?? 'unknown player' })),
    neighbours: neighboursOf(gameLog, x, y),
  };
}

function neighboursOf(gameLog, x, y) {
  return DIRECTIONS.flatMap(([direction, east, north]) => {
    const neighbour = gameLog.planets.find((planet) => planet.x === x + east && planet.y === y + north);
    return neighbour ? [{ direction, id: neighbour.id, x: neighbour.x, y: neighbour.y, difficulty: neighbour.difficulty }] : [];
  });
}
