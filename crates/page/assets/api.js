// Calls to the services. What a service says in a problem is what the user reads:
// its texts name the field and the range, and this page would only say less.

import { authorization } from './token.js';

export class ApiError extends Error {
  /** @param {number} status 0 where no answer came */
  constructor(status, text, code) {
    super(text);
    this.status = status;
    this.code = code;
  }

  /** No answer at all, or one that the server is away or cannot now, as a proxy says it. Other refusals stay. */
  get isTemporary() {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

const NO_ANSWER = 'The server does not answer. Is it still running?';

async function problemOf(response) {
  const problem = await response.json().catch(() => ({}));
  const text = problem.detail ?? problem.title ?? `The server answered ${response.status}.`;
  return new ApiError(response.status, text, problem.code);
}

/** The raw answer, where it is a good one. */
export async function request(url, { method = 'GET', body, headers, signal, token } = {}) {
  const init = { method, signal, headers: { accept: 'application/json', ...authorization(token), ...headers } };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers['content-type'] = 'application/json';
  }
  let response;
  try {
    response = await fetch(url, init);
  } catch (fault) {
    if (fault.name === 'AbortError') throw fault;
    throw new ApiError(0, NO_ANSWER);
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

async function json(url, options) {
  const text = await (await request(url, options)).text();
  return text ? JSON.parse(text) : null;
}

const of = (id) => `/games/${encodeURIComponent(id)}`;

/** Everything that the page reads. */
export const read = {
  games: () => json('/games?limit=1000'),
  game: (id) => json(of(id)),
  time: (id) => json(`${of(id)}/time`),
  players: (id) => json(`${of(id)}/players`),
  scoreboard: (id) => json(`${of(id)}/scoreboard`),
  scores: (id) => json(`${of(id)}/scores`),
  services: () => json('/services'),
  replay: (id, signal) => request(`${of(id)}/replay`, { headers: { accept: 'application/x-ndjson' }, signal }),
  fairness: (mapUrl, worldId) => json(`${mapUrl}/gameworlds/${worldId}/fairness`),
  /** Answers also where a part is failing (503): what is wrong is what one wants to read then. */
  async health() {
    const response = await fetch('/health', { headers: { accept: 'application/json' } }).catch(() => null);
    if (!response) throw new ApiError(0, NO_ANSWER);
    return response.json();
  },
};

/** Everything that a host does. All of it may need the admin token. */
export const host = {
  create: (body) => json('/games', { method: 'POST', body }),
  command: (id, name) => json(`${of(id)}/gameCommands/${name}`, { method: 'POST' }),
  change: (id, field, value) => json(`${of(id)}/${field}`, { method: 'PATCH', body: { [field]: value } }),
  takeOut: (id, playerId) => json(`${of(id)}/players/${playerId}`, { method: 'DELETE' }),
  remove: (id) => json(of(id), { method: 'DELETE' }),
  /** Does nothing but need the token: this is how one is tried. */
  probe: (token) => json('/rosters', { token }),
};
