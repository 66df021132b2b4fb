// Follows one service's events: Server-Sent Events over fetch, because EventSource cannot show a token.
// A connection that breaks is made again within a second, from the position after the last event.

import { retryWait } from './retry.js';
import { authorization } from './token.js';

/** How often the server says something at least, in milliseconds, where it does not tell that itself. */
const KEEP_ALIVE = 15_000;
/** So many of those missing: the connection is dead, whatever the network believes. */
const MISSED = 3;
const KEEP_ALIVE_HEADER = 'starkeep-keep-alive-millis';

/** Splits the text of a stream into events. */
export class EventParser {
  #rest = '';

  /** @returns {{ event: string, id: string, data: string }[]} what is whole by now */
  push(text) {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop();
    return blocks.map(parse).filter((event) => event.data !== '');
  }
}

function parse(block) {
  const fields = { event: 'message', id: '', data: '' };
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') fields.data += (fields.data && '\n') + value;
    else if (name in fields) fields[name] = value;
  }
  return fields;
}

export class EventStream {
  #ended = new AbortController();
  #wake = () => {};
  #failures = 0;

  /**
   * @param {{ url: string, after: string, onEvent: (event: object) => void, onGap: () => void,
   *   onState: (state: { live: boolean }) => void, random?: () => number }} options
   */
  constructor(options) {
    this.options = options;
    this.after = options.after;
    this.#run();
  }

  stop() {
    this.#ended.abort();
    this.#wake();
  }

  /** Does not wait any longer. */
  retryNow() {
    this.#wake();
  }

  async #run() {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      try {
        await this.#connect();
      } catch {
        // Whatever it was: the next attempt tells whether it lasts.
      }
      if (signal.aborted) return;
      this.options.onState({ live: false });
      await new Promise((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, retryWait(this.#failures++, this.options.random));
      });
    }
  }

  async #connect() {
    const attempt = new AbortController();
    const abort = () => attempt.abort();
    this.#ended.signal.addEventListener('abort', abort, { once: true });
    let longest = MISSED * KEEP_ALIVE;
    let silence = setTimeout(abort, longest);
    try {
      const glue = this.options.url.includes('?') ? '&' : '?';
      const url = `${this.options.url}${glue}after=${encodeURIComponent(this.after)}`;
      const headers = { accept: 'text/event-stream', ...authorization() };
      const response = await fetch(url, { headers, signal: attempt.signal, cache: 'no-store' });
      if (!response.ok) throw new Error(`the stream was answered with ${response.status}`);
      longest = MISSED * (Number(response.headers.get(KEEP_ALIVE_HEADER)) || KEEP_ALIVE);
      this.#failures = 0;
      this.options.onState({ live: true });
      const parser = new EventParser();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        clearTimeout(silence);
        silence = setTimeout(abort, longest);
        for (const event of parser.push(value)) this.#take(event);
      }
    } finally {
      clearTimeout(silence);
      this.#ended.signal.removeEventListener('abort', abort);
      attempt.abort();
    }
  }

  #take({ event, id, data }) {
    if (this.#ended.signal.aborted) return;
    if (event === 'gap') return this.options.onGap();
    if (id) this.after = id;
    this.options.onEvent({ id, channel: event, ...JSON.parse(data) });
  }
}
