// Records the game that the tests fold, from the real `GET /games/{id}/replay`: run by hand when what a replay contains has changed.
//   STARKEEP_BIN=target/debug/starkeep node crates/page/model-tests/record.mjs
// Built-in bots play; now and then some deposits are emptied, so that replenishments move them.
// Chance decides whether robots meet, so it plays until one was destroyed.

import { writeFileSync } from 'node:fs';
import { Server, until } from '../browser-tests/server.mjs';

const MOST_ROUNDS = 150;
const LEAST_ROUNDS = 20;
const BOTS = 4;
const EMPTIED_IN = [6, 14];
/** The model reads nothing of these. */
const UNREAD = new Set(['neighbours', 'current-item-prices', 'current-resource-prices']);
/** What the model reads of planets and of events. */
const shortPlanet = ({ id, x, y, movement_difficulty, planet_type, resource }) => ({
  id, x, y, movement_difficulty, planet_type,
  resource: resource && { resource_type: resource.resource_type, max_amount: resource.max_amount, current_amount: resource.current_amount },
});
const short = ({ service, id, channel, headers, payload, about }) => {
  if (channel === 'movement' && payload.planet) payload = { success: payload.success, remainingEnergy: payload.remainingEnergy, planet: { planetId: payload.planet.planetId } };
  return { service, id, channel, headers: { type: headers.type }, payload, about };
};

const server = await Server.start('--replenish-every', '1s', '--max-running-games', '1');
const at = async (service, path, body) => {
  const init = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return (await fetch(server.urlOf(service) + path, init)).json();
};

async function play(seed) {
  const { gameId } = await server.create({ maxRounds: MOST_ROUNDS, maxPlayers: BOTS, startMoney: 4000, duration: 1000, seed, name: 'Recorded' });
  const bots = server.spawn('bot', '--count', String(BOTS), '--game-url', server.url, '--game', gameId);
  await until(async () => (await server.game(gameId)).participatingPlayers.length === BOTS);
  await server.call('PATCH', `/games/${gameId}/pace`, { pace: 'turbo' });
  await server.command(gameId, 'start');
  const { gameworldId } = await server.game(gameId);
  const planets = () => at('map', `/gameworlds/${gameworldId}/planets`);
  for (const round of EMPTIED_IN) {
    await until(async () => (await server.game(gameId)).currentRoundNumber >= round);
    for (const { id, resource } of (await planets()).filter((one) => one.resource?.current_amount === one.resource?.max_amount && one.resource).slice(0, 5)) {
      await at('map', `/planets/${id}/minings`, { mining: { amount_requested: resource.max_amount, round_number: round } });
    }
  }
  // A robot was destroyed: the game has everything, and is ended between two rounds.
  const isWon = async () => (await server.call('GET', `/games/${gameId}/scoreboard`)).some((one) => one.fightsWon > 0);
  await until(async () => (await server.game(gameId)).gameStatus === 'ended' || ((await server.game(gameId)).currentRoundNumber >= LEAST_ROUNDS && isWon()));
  if ((await server.game(gameId)).gameStatus !== 'ended') {
    await server.call('PATCH', `/games/${gameId}/maxRounds`, { maxRounds: (await server.game(gameId)).currentRoundNumber + 2 });
    await until(async () => (await server.game(gameId)).gameStatus === 'ended');
  }
  await server.halt(bots);
  const [header, ...events] = (await (await fetch(`${server.url}/games/${gameId}/replay`)).text()).trim().split('\n').map((line) => JSON.parse(line));
  const kept = events.filter(({ channel }) => !UNREAD.has(channel)).map(short);
  const deposits = (await planets()).filter(({ resource }) => resource).map(({ id, resource }) => ({ id, ...shortPlanet({ resource }).resource }));
  const robots = (await at('robot', `/robots?game-id=${gameId}`)).filter(({ alive }) => alive);
  header.planets = header.planets.map(shortPlanet);
  return { header, kept, end: { deposits, robots } };
}

try {
  for (let seed = 1; ; seed++) {
    const { header, kept, end } = await play(seed);
    const types = new Set(kept.map(({ headers }) => headers.type));
    const missing = ['movement', 'mining', 'fighting', 'robot-destroyed', 'regeneration', 'resource-replenished', 'buy-item'].filter((type) => !types.has(type));
    console.log(`seed ${seed}: ${kept.length} events, ${JSON.stringify(kept).length} bytes, missing: ${missing}`);
    if (missing.length > 0) continue;
    const write = (name, text) => writeFileSync(new URL(name, import.meta.url), text);
    write('recorded.jsonl', `${[header, ...kept].map((line) => JSON.stringify(line)).join('\n')}\n`);
    write('recorded-end.json', `${JSON.stringify(end)}\n`);
    break;
  }
} finally {
  await server.stop();
}
