// What the page knows, and who wants to hear of changes.
// Listeners run once per frame however much has changed: a hundred events a second are sixty renderings at most.

/** Runs `task` with the next frame; a hidden tab has no frames, there a timer does. */
function soon(task) {
  if (document.hidden) setTimeout(task, 250);
  else requestAnimationFrame(task);
}

export class Store {
  #values;
  #listeners = new Set();
  #changed = new Set();
  #pending = false;

  constructor(values) {
    this.#values = { ...values };
  }

  get(key) {
    return this.#values[key];
  }

  set(values) {
    for (const [key, value] of Object.entries(values)) {
      if (Object.is(this.#values[key], value)) continue;
      this.#values[key] = value;
      this.#changed.add(key);
    }
    this.#announce();
  }

  /** For what is changed in place. */
  touch(...keys) {
    for (const key of keys) this.#changed.add(key);
    this.#announce();
  }

  /**
   * Runs `listener` at once and whenever one of `keys` has changed. Returns how to stop.
   * @param {string[]} keys
   */
  watch(keys, listener) {
    const entry = { keys, listener };
    this.#listeners.add(entry);
    listener();
    return () => this.#listeners.delete(entry);
  }

  #announce() {
    if (this.#pending || this.#changed.size === 0) return;
    this.#pending = true;
    soon(() => {
      this.#pending = false;
      const changed = this.#changed;
      this.#changed = new Set();
      for (const { keys, listener } of [...this.#listeners]) if (keys.some((key) => changed.has(key))) listener();
    });
  }
}

/** `run` at most every `millis`, the last call always. */
export function throttled(millis, run) {
  let timer = null;
  let last = -Infinity;
  return () => {
    if (timer !== null) return;
    const wait = Math.max(0, last + millis - performance.now());
    timer = setTimeout(() => {
      timer = null;
      last = performance.now();
      run();
    }, wait);
  };
}
