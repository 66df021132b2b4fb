// Which screen an address names. Addresses are in the hash: the page is one file,
// and the paths of the server belong to its API.

/** What nobody can have encoded so is taken as it is: the server then says that there is no such game. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @returns {{ screen: 'games'|'game'|'replay'|'projector', id?: string|null }} `id` of the projector: the only game that it shows */
export function routeOf(location) {
  const query = new URLSearchParams(location.search);
  if (query.has('projector')) return { screen: 'projector', id: query.get('game') };
  const [, first, id] = location.hash.replace(/^#/, '').split('/');
  if (first === 'games' && id) return { screen: 'game', id: decoded(id) };
  if (first === 'replay') return { screen: 'replay' };
  return { screen: 'games' };
}

export const toGames = '#/';
export const toReplay = '#/replay';
export const toGame = (id) => `#/games/${encodeURIComponent(id)}`;

/** Runs `show` for the address as it is, and after every change. */
export function startRouter(show) {
  const route = () => show(routeOf(location));
  addEventListener('hashchange', route);
  route();
}
