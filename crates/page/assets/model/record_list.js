// A growing list of records of five numbers each, packed into one typed array.
// A long game has millions of records; as objects they would fill the memory of a tab.

export const RECORD_LENGTH = 5;
const FIRST_CAPACITY = 4;

export class RecordList {
  constructor() {
    this.words = new Int32Array(FIRST_CAPACITY * RECORD_LENGTH);
    this.length = 0;
  }

  /** @param {number} operation and up to four numbers that it is about */
  push(operation, a = 0, b = 0, c = 0, d = 0) {
    const start = this.length * RECORD_LENGTH;
    if (start === this.words.length) {
      const larger = new Int32Array(Math.ceil(this.length * 1.5) * RECORD_LENGTH);
      larger.set(this.words);
      this.words = larger;
    }
    const { words } = this;
    words[start] = operation;
    words[start + 1] = a;
    words[start + 2] = b;
    words[start + 3] = c;
    words[start + 4] = d;
    this.length += 1;
  }

  /** @param {(operation: number, a: number, b: number, c: number, d: number) => void} visit */
  forEach(visit) {
    const { words } = this;
    const end = this.length * RECORD_LENGTH;
    for (let at = 0; at < end; at += RECORD_LENGTH) {
      visit(words[at], words[at + 1], words[at + 2], words[at + 3], words[at + 4]);
    }
  }
}
