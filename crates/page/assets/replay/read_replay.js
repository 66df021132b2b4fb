// Reads a game as `GET /games/{id}/replay` gives it, from the server's answer or from a file, line by line.
// What is no replay, or a broken one, is answered with a sentence that says what is wrong and where.

import { GameLog } from '../model/game_log.js';

const FORMAT = 'starkeep-replay';
const VERSION = 1;
const SERVICES = ['game', 'map', 'robot', 'trading'];
/** How many lines are taken in before the page may draw again. */
const LINES_AT_A_TIME = 2000;

/** Its message is meant for the person who opened the file. */
export class ReplayError extends Error {}

/**
 * @param {ReadableStream<Uint8Array>|Blob} source
 * @param {(progress: {bytes: number, totalBytes: number|null, events: number}) => void} [onProgress]
 * @param {(service: string, event: object) => void} [onEvent] each event as it was read
 * @returns {Promise<GameLog>}
 */
export async function readReplay(source, onProgress = () => {}, onEvent = () => {}) {
  const isBlob = typeof source.stream === 'function';
  const totalBytes = isBlob ? source.size : null;
  let gameLog = null;
  let number = 0;
  let events = 0;
  for await (const { line, bytes } of linesOf(isBlob ? source.stream() : source)) {
    number += 1;
    if (line.trim() === '') continue;
    if (!gameLog) {
      gameLog = GameLog.fromHeader(checkedHeader(line));
      continue;
    }
    const event = checkedEvent(line, number);
    gameLog.append(event.service, event);
    onEvent(event.service, event);
    events += 1;
    if (events % LINES_AT_A_TIME === 0) {
      onProgress({ bytes, totalBytes, events });
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  }
  if (!gameLog) throw new ReplayError('This is no Starkeep replay: it is empty.');
  onProgress({ bytes: totalBytes ?? 0, totalBytes, events });
  return gameLog;
}

/** Each line with how many bytes had been read by then. @param {ReadableStream<Uint8Array>} stream */
async function* linesOf(stream) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let bytes = 0;
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      bytes += value?.byteLength ?? 0;
      const lines = rest.split('\n');
      rest = lines.pop();
      for (const line of lines) yield { line, bytes };
      if (done) break;
    }
    if (rest !== '') yield { line: rest, bytes };
  } finally {
    // A reader that stops early gives the connection or the file back.
    reader.cancel().catch(() => {});
  }
}

function checkedHeader(line) {
  const header = parsed(line);
  if (header?.format !== FORMAT) {
    throw new ReplayError('This is no Starkeep replay: its first line does not say "format": "starkeep-replay".');
  }
  if (header.version !== VERSION) {
    throw new ReplayError(`This replay has version ${header.version}; this page reads version ${VERSION}.`);
  }
  if (!Array.isArray(header.planets) || !header.planets.every(isPlanet)) {
    throw new ReplayError('The first line of this replay is broken: "planets" is no list of planets.');
  }
  if (!Array.isArray(header.players) || !header.players.every((player) => typeof player?.playerId === 'string')) {
    throw new ReplayError('The first line of this replay is broken: "players" is no list of players.');
  }
  return header;
}

function isPlanet(planet) {
  const { id, x, y, resource } = planet ?? {};
  const isDeposit = (deposit) => Number.isInteger(deposit.current_amount) && Number.isInteger(deposit.max_amount);
  return typeof id === 'string' && Number.isInteger(x) && Number.isInteger(y) && (resource == null || isDeposit(resource));
}

function checkedEvent(line, number) {
  const event = parsed(line);
  if (event === undefined) {
    throw new ReplayError(`Line ${number} of this replay is no JSON: the file was cut off or changed.`);
  }
  if (!SERVICES.includes(event?.service) || typeof event.channel !== 'string') {
    throw new ReplayError(`Line ${number} of this replay is no event: it names no service and channel.`);
  }
  return event;
}

/** @returns {any} undefined where it is no JSON */
function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
