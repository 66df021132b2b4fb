// Which events of one service are known already, by their positions, and which is the last of them.
// A position is `log-number-piece`; numbers are kept as bits, so that millions of them take little memory.

const PAGE_BITS = 8192;

export class SeenIds {
  constructor() {
    /** @type {Map<string, Map<number, Uint8Array>>} pages of bits by log */
    this.logs = new Map();
    /** @type {Set<string>} ids of another form */
    this.others = new Set();
    /** @type {string|null} the position to go on after */
    this.last = null;
    this.lastLog = null;
    this.lastNumber = -1;
  }

  /** @param {unknown} id @returns {boolean} whether it is new; an event without an id always is */
  add(id) {
    if (typeof id !== 'string' || id === '') return true;
    const [, log, digits] = /^([^-]+)-(\d{1,15})(?:-|$)/.exec(id) ?? [];
    if (log === undefined) return this.#addOther(id);
    const number = Number(digits);
    if (!this.#setBit(log, number)) return false;
    // Events are sorted by round in a replay, so the last one read need not be the last one of the log.
    if (log !== this.lastLog || number > this.lastNumber) {
      this.last = id;
      this.lastLog = log;
      this.lastNumber = number;
    }
    return true;
  }

  #addOther(id) {
    if (this.others.has(id)) return false;
    this.others.add(id);
    this.last = id;
    return true;
  }

  #setBit(log, number) {
    let pages = this.logs.get(log);
    if (!pages) this.logs.set(log, (pages = new Map()));
    const pageNumber = Math.floor(number / PAGE_BITS);
    let page = pages.get(pageNumber);
    if (!page) pages.set(pageNumber, (page = new Uint8Array(PAGE_BITS / 8)));
    const bit = number % PAGE_BITS;
    const mask = 1 << (bit & 7);
    if (page[bit >> 3] & mask) return false;
    page[bit >> 3] |= mask;
    return true;
  }
}
