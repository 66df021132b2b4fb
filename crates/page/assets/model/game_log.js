// A game as its events tell it: the world as it was made, and for every round what happened in it.
// The same for a live game, a past round and a replay file.

import { effectOf } from './effects.js';
import { recordsOf } from './event_records.js';
import { DEATHS, FIGHTS, History, MININGS, UNITS_MINED } from './history.js';
import { RESOURCE_KINDS, kindNumber } from './kinds.js';
import { BOUGHT, MOVED, apply } from './operations.js';
import { shownName } from './player_name.js';
import { SeenIds } from './seen_ids.js';
import { COLUMNS, PLANET, WorldState } from './world_state.js';

/** The most that a game can have; a larger number in a file is a mistake. */
const MOST_ROUNDS = 1_000_000;

export class GameLog {
  /** @param {object} header the first line of a replay; see `GET /games/{id}/replay` */
  static fromHeader(header) {
    return new GameLog(header);
  }

  constructor({ game, gameworld, players, planets }) {
    this.game = game ?? {};
    this.gameworld = gameworld ?? null;
    /** @type {Array<{playerId: string, name: string}>} by order of joining */
    this.players = [];
    this.playerNumbers = new Map();
    for (const { playerId, name } of players ?? []) this.#addPlayer(playerId, name);
    this.planets = (planets ?? []).map(({ id, x, y, movement_difficulty: difficulty, planet_type: type }) => ({
      id, x, y, difficulty, station: type === 'spacestation',
    }));
    this.planetNumbers = new Map(this.planets.map(({ id }, index) => [id, index]));
    this.robotIds = [];
    this.robotPlayers = [];
    this.robotNumbers = new Map();
    /** Where each robot was last told to be; for the effects of what arrives. */
    this.lastPlanets = [];
    /** @type {Map<string, SeenIds>} by service */
    this.seen = new Map();
    /** @type {Map<string, number>} by service */
    this.toldRounds = new Map();
    this.firstRound = 0;
    this.lastRound = 0;
    this.history = new History(WorldState.asMade(this, (planets ?? []).map(depositAsMade)));
    /** @type {WorldState|null} the state at the end of `lastRound`, until something is appended */
    this.newest = null;
    /** @type {Map<number, Array<object>>} players of `scores` by round */
    this.scores = new Map();
  }

  /**
   * Takes an event in, as a page of `GET /events` has it. One that is known already changes nothing.
   * @param {'game'|'map'|'robot'|'trading'} service
   * @returns {import('./effects.js').Effect[]}
   */
  append(service, event) {
    if (typeof event !== 'object' || event === null || !this.#seenOf(service).add(event.id)) return [];
    const round = this.#roundOf(service, event);
    this.lastRound = Math.max(this.lastRound, round);
    this.newest = null;
    if (service === 'game') this.#hearOfGame(event, round);
    const effects = [];
    recordsOf(this, service, event, (operation, a = 0, b = 0, c = 0, d = 0) => {
      this.history.add(round, service, operation, a, b, c, d);
      const effect = effectOf(this, (robot) => this.lastPlanets[robot], round, operation, a, b, c, d);
      if (effect) effects.push(effect);
      if ((operation === BOUGHT || operation === MOVED) && b >= 0) this.lastPlanets[a] = b;
    });
    return effects;
  }

  /** The position after which the events of this service go on, or null. */
  lastId(service) {
    return this.seen.get(service)?.last ?? null;
  }

  playerIndex(playerId) {
    return this.playerNumbers.get(playerId) ?? -1;
  }

  planetIndex(planetId) {
    return this.planetNumbers.get(planetId) ?? -1;
  }

  /** The number of a robot, which is made known by this; -1 without an id. */
  robotNumber(id, playerId) {
    if (typeof id !== 'string') return -1;
    let number = this.robotNumbers.get(id);
    if (number === undefined) {
      number = this.robotIds.push(id) - 1;
      this.robotNumbers.set(id, number);
      this.robotPlayers.push(-1);
      this.lastPlanets.push(-1);
    }
    if (this.robotPlayers[number] < 0 && typeof playerId === 'string') this.robotPlayers[number] = this.#addPlayer(playerId);
    return number;
  }

  /** The state at the end of a round; that of `lastRound` is the newest that is known. Not to be changed. */
  stateAt(round) {
    const wanted = Math.min(Math.max(Math.trunc(round) || 0, this.firstRound), this.lastRound);
    if (wanted < this.lastRound) return this.history.stateAt(wanted, this.robotIds.length);
    return (this.newest ??= this.history.stateAt(wanted, this.robotIds.length));
  }

  /** What happened in a round, in the order of its phases. @returns {import('./effects.js').Effect[]} */
  effectsIn(round) {
    const effects = [];
    const state = this.history.stateAt(Math.min(round, this.lastRound) - 1, this.robotIds.length);
    this.history.visitRound(round, (...record) => {
      const effect = effectOf(this, (robot) => state.cells[robot * COLUMNS + PLANET], round, ...record);
      if (effect) effects.push(effect);
      apply(state, ...record);
    });
    return effects;
  }

  /** The newest scores that are of this round or an earlier one, or null. */
  scoresAt(round) {
    for (let at = Math.min(round, this.lastRound); at >= 0; at -= 1) {
      const players = this.scores.get(at);
      if (players) return players;
    }
    return null;
  }

  /** Figures for plots: one of each for every round from 0 to `lastRound`. */
  series() {
    const figures = this.history.figuresUpTo(this.lastRound, this.robotIds.length);
    const column = (index) => figures.map((ofRound) => ofRound[index]);
    return {
      rounds: figures.map((_, round) => round),
      deposits: Object.fromEntries(RESOURCE_KINDS.map((kind, index) => [kind, column(index + 1)])),
      minings: column(MININGS),
      mined: column(UNITS_MINED),
      fights: column(FIGHTS),
      deaths: column(DEATHS),
    };
  }

  /** What is of no round is of the one that its service last told of. */
  #roundOf(service, event) {
    const told = event.about?.roundNumber ?? event.payload?.roundNumber;
    if (!Number.isInteger(told) || told < 0 || told > MOST_ROUNDS) return this.toldRounds.get(service) ?? this.lastRound;
    this.toldRounds.set(service, told);
    return told;
  }

  #seenOf(service) {
    let seen = this.seen.get(service);
    if (!seen) this.seen.set(service, (seen = new SeenIds()));
    return seen;
  }

  #hearOfGame({ channel, payload }, round) {
    if (channel === 'playerStatus' && typeof payload?.playerId === 'string') this.#addPlayer(payload.playerId, payload.name);
    if (channel === 'scores' && Array.isArray(payload?.players)) this.scores.set(round, payload.players);
  }

  /** @returns {number} the player's place in `players` */
  #addPlayer(playerId, name) {
    let number = this.playerNumbers.get(playerId);
    if (number === undefined) {
      number = this.players.push({ playerId, name: shownName(name, playerId) }) - 1;
      this.playerNumbers.set(playerId, number);
    }
    return number;
  }
}

function depositAsMade({ resource }) {
  const kind = kindNumber(resource?.resource_type);
  return kind === 0 ? null : { kind, amount: resource.current_amount, max: resource.max_amount };
}
