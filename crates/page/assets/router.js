// Which screen an address names. Addresses are in the hash: the page is one file,
// and the paths of the server belong to its API.

/** @returns {{ screen: 'games'|'game'|'replay'|'projector', id?: string }} */
export function routeOf(location) {
  if (new URLSearchParams(location.search).has('projector')) return { screen: 'projector' };
  const [, first, id] = location.hash.replace(/^#/, '').split('/');
  if (first === 'games' && id) return { screen: 'game', id: decodeURIComponent(id) };
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
