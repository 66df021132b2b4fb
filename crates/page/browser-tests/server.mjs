// Starts the real executable for a test: an IP address of its own, a data directory of its own, and bots where they are wanted.
// `STARKEEP_BIN` is its path.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BIN = process.env.STARKEEP_BIN;
export const SERVICES = ['game', 'map', 'robot', 'trading'];

// Where the services listen, also after a restart. Nobody else takes these ports: no other server has the IP address, and the system gives
// ports below 32768 to nobody who asks for any.
const PORTS = { game: 28080, map: 28081, robot: 28082, trading: 28083 };
let hosts = 0;

/** An IP address of this machine that nobody else uses. */
export function ownHost() {
  hosts += 1;
  return `127.${hosts}.${(process.pid >> 8) & 255}.${process.pid & 255}`;
}

/** Waits until `check` gives something. It is asked again after each failure, without an end of its own: the test has one. */
export async function until(check, signal) {
  for (;;) {
    const found = await check().catch(() => null);
    if (found) return found;
    signal?.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export class Server {
  #children = [];

  static async start(...flags) {
    const server = new Server();
    server.host = ownHost();
    server.flags = flags;
    server.directory = await mkdtemp(join(tmpdir(), 'starkeep-page-'));
    await server.run();
    return server;
  }

  get url() {
    return this.urlOf('game');
  }

  addressOf(service) {
    return `${this.host}:${PORTS[service]}`;
  }

  urlOf(service) {
    return `http://${this.addressOf(service)}`;
  }

  folder(name) {
    return join(this.directory, name);
  }

  async run() {
    const listen = SERVICES.flatMap((name) => [`--${name}-listen`, this.addressOf(name)]);
    this.process = this.spawn('serve', '--data-dir', this.folder('data'), ...listen, ...this.flags);
    await until(async () => (await fetch(`${this.url}/games`)).ok);
  }

  bots(count, game) {
    return this.spawn('bot', '--count', String(count), '--game-url', this.url, '--game', game, '--token-file', this.folder('bots.jsonl'));
  }

  /** Runs the executable until the server is stopped. */
  spawn(...args) {
    const child = spawn(BIN, args, { stdio: 'ignore' });
    this.#children.push(child);
    return child;
  }

  /** Ends it as a host would, and waits. */
  async halt(child = this.process) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }

  async stop() {
    for (const child of this.#children.reverse()) await this.halt(child);
    await rm(this.directory, { recursive: true, force: true });
  }

  request(method, path, body, token) {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    return fetch(this.url + path, { method, headers, body: body && JSON.stringify(body) });
  }

  async call(...args) {
    const answer = await this.request(...args);
    if (!answer.ok) throw new Error(`${args[0]} ${args[1]}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  /** What the server says about a request that it refuses. */
  async refusal(...args) {
    const answer = await this.request(...args);
    if (answer.ok) throw new Error(`${args[0]} ${args[1]} was not refused`);
    return (await answer.json()).detail;
  }

  create(body = {}, token) {
    return this.call('POST', '/games', { maxRounds: 400, maxPlayers: 6, startMoney: 1500, duration: 1000, ...body }, token);
  }

  command(gameId, name, token) {
    return this.call('POST', `/games/${gameId}/gameCommands/${name}`, undefined, token);
  }

  game(gameId) {
    return this.call('GET', `/games/${gameId}`);
  }

  /** A running game of three bots. At pace `turbo` its rounds end when they are ready. */
  async playing({ pace, ...body } = {}, token) {
    const { gameId } = await this.create(body, token);
    if (pace) await this.call('PATCH', `/games/${gameId}/pace`, { pace }, token);
    this.bots(3, gameId);
    await until(async () => (await this.game(gameId)).participatingPlayers.length === 3);
    await this.command(gameId, 'start', token);
    return gameId;
  }
}
