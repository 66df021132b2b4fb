// The world in words, for those who do not see it.
// Short sentences: a screen reader reads each of them out.

const number = (value) => value.toLocaleString('en');
const counted = (count, word) => `${number(count)} ${word}${count === 1 ? '' : 's'}`;

/** @returns {string} such as "Planet 3,4: iron 9,998 of 10,000, 2 robots" */
export function planetInWords(planet, planetIndex, state, robots) {
  const parts = [];
  const deposit = state?.depositAt(planetIndex);
  if (deposit) parts.push(deposit.amount === 0 ? `${deposit.kind} exhausted` : `${deposit.kind} ${number(deposit.amount)} of ${number(deposit.max)}`);
  parts.push(robots === 0 ? 'no robots' : counted(robots, 'robot'));
  return `${planet.station ? 'Space station' : 'Planet'} ${planet.x},${planet.y}: ${parts.join(', ')}`;
}

/** @returns {string} the label of the whole world */
export function worldInWords(planets, state) {
  if (planets.length === 0) return 'World without planets';
  const stations = planets.filter(({ station }) => station).length;
  const robots = state ? `, ${counted(state.robotCount(), 'robot')} at the end of round ${state.round}` : '';
  return `World of ${counted(planets.length, 'planet')}, ${counted(stations, 'space station')}${robots}`;
}
