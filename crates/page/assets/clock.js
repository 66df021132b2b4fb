// The server's countdown on this machine. Clocks of two machines disagree, so only lengths are taken over:
// what was left when the answer was written, which was half of the round trip ago.

/** An answer that took longer than this is asked for again: it can be wrong by half of it. */
const GOOD_ROUND_TRIP = 120;
const ATTEMPTS = 3;

export class RoundClock {
  #fetchTime;
  #state = null;
  #sync = 0;

  /** @param {() => Promise<object>} fetchTime `GET /games/{id}/time` */
  constructor(fetchTime) {
    this.#fetchTime = fetchTime;
  }

  /** Asks the server. Of several answers the one with the shortest round trip counts. */
  async sync() {
    const sync = ++this.#sync;
    let best = Infinity;
    for (let attempt = 0; attempt < ATTEMPTS && best > GOOD_ROUND_TRIP; attempt++) {
      const asked = performance.now();
      const time = await this.#fetchTime();
      const answered = performance.now();
      // A later question is already on its way, and knows more.
      if (sync !== this.#sync) return;
      if (answered - asked < best) {
        best = answered - asked;
        this.#state = { time, at: (asked + answered) / 2 };
      }
    }
  }

  /**
   * How things are now.
   * @returns {{ phase: string|null, paused: boolean, leftInPhase: number|null, inRound: number|null, round: number|null }|null}
   */
  now(at = performance.now()) {
    if (!this.#state) return null;
    const { time } = this.#state;
    const passed = time.paused ? 0 : at - this.#state.at;
    const ends = time.phaseEndsInMillis;
    return {
      phase: time.phase,
      paused: time.paused,
      round: time.roundCount,
      leftInPhase: ends === null ? null : Math.max(0, ends - passed),
      inRound: time.roundTimeInMillis === null ? null : time.roundTimeInMillis + passed,
    };
  }
}
