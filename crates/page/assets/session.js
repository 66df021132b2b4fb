// One game as the page knows it: what the server answers, the log of its world, and its four event streams.
// Every panel watches the store of this; none of them calls the server to read.

import { read } from './api.js';
import { RoundClock } from './clock.js';
import { EventList } from './event_list.js';
import { shownName } from './model/player_name.js';
import { shortId } from './model/short_id.js';
import { readReplay } from './replay/read_replay.js';
import { retryWait } from './retry.js';
import { ScoreHistory } from './scores.js';
import { Store, throttled } from './store.js';
import { EventStream } from './stream.js';
import { onTokenChange } from './token.js';

const SERVICES = ['game', 'map', 'robot', 'trading'];
const HEALTH_EVERY = 5000;

const named = (rows) => rows.map((row) => ({ ...row, name: shownName(row.name, row.playerId) }));

/** What every session has; a replay file has nothing else. */
export class Session {
  store = new Store({
    game: null, log: null, locked: false, loading: true, error: null, board: [], scores: new ScoreHistory(), roster: null,
    health: null, viewed: null, streams: {}, planet: null, highlight: null, events: 0, gone: false,
  });
  events = new EventList();
  clock = null;
  isFile = false;
  #order = [];
  #names = new Map();
  #effectListeners = new Set();

  /** The round that is on show: a past one, or the newest. */
  get round() {
    return this.store.get('viewed') ?? this.lastRound;
  }

  get lastRound() {
    return Math.max(this.store.get('log')?.lastRound ?? 0, this.store.get('game')?.currentRoundNumber ?? 0);
  }

  get isLive() {
    return this.store.get('viewed') === null;
  }

  /** In the order of joining, which decides about colours. */
  get playerIds() {
    return this.store.get('log')?.players.map((one) => one.playerId) ?? this.#order;
  }

  indexOf(playerId) {
    return this.store.get('log')?.playerIndex(playerId) ?? this.#order.indexOf(playerId);
  }

  nameOf(playerId) {
    return shownName(this.#names.get(playerId), playerId);
  }

  learn(playerId, name) {
    if (!this.#order.includes(playerId)) this.#order.push(playerId);
    if (name) this.#names.set(playerId, name);
  }

  planetName(planetId) {
    const log = this.store.get('log');
    const planet = log?.planets[log.planetIndex(planetId)];
    if (planet) return `planet ${planet.x},${planet.y}`;
    return planetId ? `planet ${shortId(planetId)}` : 'a planet';
  }

  /** The scoreboard of the round on show. */
  get shownBoard() {
    const { store } = this;
    if (this.isLive && !this.isFile) return store.get('board');
    const rows = store.get('scores').board(this.round);
    return rows.map((row) => ({ ...row, name: this.nameOf(row.playerId) }));
  }

  onEffects(listener) {
    this.#effectListeners.add(listener);
    return () => this.#effectListeners.delete(listener);
  }

  tellEffects(effects) {
    if (effects?.length) for (const listener of this.#effectListeners) listener(effects);
  }

  /** Whatever reads the log has it come through here, from a file as from a server. */
  async readLog(source, onProgress) {
    this.events = new EventList();
    const log = await readReplay(source, onProgress, (service, event) => this.note(service, event));
    for (const { playerId, name } of log.players) this.learn(playerId, name);
    return log;
  }

  /** Keeps an event for reading, and what it says about players and scores. */
  note(service, event) {
    this.events.push(service, event);
    if (event.channel === 'playerStatus') this.learn(event.payload.playerId, event.payload.name);
    if (event.channel === 'scores') this.store.get('scores').append(event.payload);
  }

  /** Takes an event in: into the list, into the log, and what it shows in the world. */
  take(service, event) {
    this.note(service, event);
    const log = this.store.get('log');
    if (log) {
      this.tellEffects(log.append(service, event));
      this.store.touch('log');
    }
    this.store.touch('events');
  }

  close() {}
}

/** A game of this server, followed as it goes on. */
export class LiveSession extends Session {
  #id;
  #streams = [];
  #undo = [];
  #opening = new AbortController();
  #failures = 0;
  #refreshBoard = throttled(300, () => this.#quietly(async () => this.#takeBoard(await read.scoreboard(this.#id))));
  #refreshGame = throttled(100, () => this.#quietly(async () => this.takeGame(await read.game(this.#id))));
  #syncClock = throttled(50, () => this.#quietly(() => this.clock.sync()));

  constructor(id) {
    super();
    this.#id = id;
    this.clock = new RoundClock(() => read.time(id));
    const health = setInterval(() => this.#readHealth(), HEALTH_EVERY);
    const online = () => this.#streams.forEach((stream) => stream.retryNow());
    addEventListener('online', online);
    this.#undo.push(() => clearInterval(health), () => removeEventListener('online', online), onTokenChange(() => this.open()));
    this.open();
    this.#readHealth();
  }

  get id() {
    return this.#id;
  }

  /** Reads everything anew; also after a change of the token, and where the stream has a gap. */
  async open() {
    this.#opening.abort();
    const opening = (this.#opening = new AbortController());
    this.#stopStreams();
    try {
      const id = this.#id;
      const [game, services, board, scores] = await Promise.all([read.game(id), read.services(), read.scoreboard(id), read.scores(id)]);
      if (opening.signal.aborted) return;
      this.store.set({ scores: ScoreHistory.fromAnswer(scores), services });
      this.takeGame(game);
      this.#takeBoard(board);
      this.#syncClock();
      const log = await this.#loadLog(opening.signal);
      if (opening.signal.aborted) return;
      this.#failures = 0;
      this.store.set({ log, locked: log === null, loading: false, error: null });
      this.#follow(log, game.gameworldId);
    } catch (fault) {
      if (opening.signal.aborted) return;
      const before = this.store.get('error');
      // What is read out already is not read out again.
      const isTold = before?.status === fault.status && before?.message === fault.message;
      this.store.set({ error: isTold ? before : fault, loading: false });
      if (fault.isTemporary) this.#later(retryWait(this.#failures++), opening.signal);
    }
  }

  close() {
    this.#opening.abort();
    this.#stopStreams();
    for (const undo of this.#undo) undo();
  }

  takeGame(game) {
    const before = this.store.get('game');
    for (const playerId of game.participatingPlayers) this.learn(playerId);
    this.clock.game = game;
    this.store.set({ game });
    // The world that is played in is made at the start.
    if (before && before.gameworldId !== game.gameworldId) this.open();
  }

  /** After a host's action: its effect is to be seen at once, not with the next event. */
  refresh() {
    this.#refreshGame();
    this.#refreshBoard();
    this.#syncClock();
    this.refreshRoster();
  }

  /** The open round's counts. Not every server has them. */
  async refreshRoster() {
    await this.#quietly(async () => this.store.set({ roster: named(await read.players(this.#id)) }));
  }

  #takeBoard(board) {
    for (const { playerId, name } of board) this.learn(playerId, name);
    this.store.set({ board: named(board) });
  }

  /** Nothing where the world is hidden from this reader. */
  async #loadLog(signal) {
    try {
      const answer = await read.replay(this.#id, signal);
      return await this.readLog(answer.body);
    } catch (fault) {
      if (fault.status === 401) return null;
      throw fault;
    }
  }

  #follow(log, worldId) {
    const services = this.store.get('services');
    this.store.set({ streams: {} });
    for (const service of SERVICES) {
      if (!services[service] || (service === 'map' && !worldId)) continue;
      const subject = service === 'map' ? `gameworld_id=${worldId}` : `gameId=${this.#id}`;
      // The page's own server is where the page came from, by whatever name.
      const base = service === 'game' ? '' : services[service];
      this.#streams.push(new EventStream({
        url: `${base}/events?${subject}`,
        after: log ? log.lastId(service) ?? 'start' : 'end',
        onEvent: (event) => this.take(service, event),
        onGap: () => this.open(),
        onState: (state) => this.#takeState(service, state),
      }));
    }
  }

  take(service, event) {
    super.take(service, event);
    if (service !== 'game') return;
    if (event.channel === 'gameRoster' && event.payload.change === 'deleted') {
      // There is nothing left to ask for.
      this.store.set({ gone: true });
      this.#stopStreams();
    } else if (event.channel === 'scores') {
      this.#refreshBoard();
      this.store.touch('scores');
    } else if (event.channel !== 'playerStatus') {
      this.#refreshGame();
      this.#syncClock();
      if (event.channel === 'gameRoster' || event.channel === 'status') this.#refreshBoard();
    }
  }

  #takeState(service, state) {
    const before = this.store.get('streams');
    this.store.set({ streams: { ...before, [service]: state } });
    if (state.live && before[service]?.live === false) {
      this.refresh();
    }
  }

  #stopStreams() {
    for (const stream of this.#streams.splice(0)) stream.stop();
  }

  #later(millis, signal) {
    const timer = setTimeout(() => this.open(), millis);
    signal.addEventListener('abort', () => clearTimeout(timer));
  }

  async #readHealth() {
    await this.#quietly(async () => this.store.set({ health: await read.health() }));
  }

  /** What failed here is tried again soon; a lost connection is announced by the streams. */
  async #quietly(task) {
    if (!this.store.get('gone')) await task().catch(() => {});
  }
}

/** A replay file: no server, nothing that goes on. */
export class FileSession extends Session {
  isFile = true;

  constructor(file) {
    super();
    this.#open(file);
  }

  async #open(file) {
    try {
      const log = await this.readLog(file, (progress) => this.store.set({ progress }));
      const { game } = log;
      this.store.set({ log, game: { ...game, currentRoundNumber: log.lastRound }, loading: false, viewed: log.firstRound });
    } catch (fault) {
      this.store.set({ error: fault, loading: false });
    }
  }
}
