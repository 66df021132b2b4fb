// Starts the real executable for a test: free ports, a data directory of its own, and bots where they are wanted.
// `STARKEEP_BIN` is its path.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BIN = process.env.STARKEEP_BIN;
const SERVICES = ['game', 'map', 'robot', 'trading'];

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
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
    server.flags = flags;
    server.directory = await mkdtemp(join(tmpdir(), 'starkeep-page-'));
    server.ports = await Promise.all(SERVICES.map(freePort));
    await server.run();
    return server;
  }

  get url() {
    return `http://127.0.0.1:${this.ports[0]}`;
  }

  async run() {
    const listen = SERVICES.flatMap((name, index) => [`--${name}-listen`, `127.0.0.1:${this.ports[index]}`]);
    this.process = this.#spawn('serve', '--data-dir', join(this.directory, 'data'), ...listen, ...this.flags);
    await until(async () => (await fetch(`${this.url}/games`)).ok);
  }

  bots(count, game) {
    return this.#spawn('bot', '--count', String(count), '--game-url', this.url, '--game', game);
  }

  #spawn(...args) {
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

  async call(method, path, body, token) {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const answer = await fetch(this.url + path, { method, headers, body: body && JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  create(body = {}, token) {
    return this.call('POST', '/games', { maxRounds: 400, maxPlayers: 6, startMoney: 1500, duration: 2000, ...body }, token);
  }
}
