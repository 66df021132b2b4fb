// The server's countdown on this machine. Clocks of two machines disagree, so only lengths are taken over:
// what was left when the answer was written, which was half of the round trip ago. Boundaries are on the server's schedule, so the
// clock goes over them by itself, and what the server says of them only confirms it.

/** An answer that took longer than this is asked for again: it can be wrong by half of it. */
const GOOD_ROUND_TRIP = 60;
const ATTEMPTS = 3;
/** Three quarters of a round are for commands, the last one is for carrying them out. */
const COLLECTION = 0.75;
/** So long after the last boundary that the server told of the clock goes on alone; then something is wrong, and it stands. */
const LONGEST_ALONE = 1000;

export class RoundClock {
  /** @type {{ roundLengthInMillis: number, maxRounds: number, pace: string }|null} as it was last told; of the next rounds */
  game = null;
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
        this.#take(time, (asked + answered) / 2, best / 2);
      }
    }
  }

  /** An answer that only confirms what is known better does not make it worse. */
  #take(time, at, error) {
    const known = this.now(at);
    const isSame = known && !known.paused && !time.paused && known.round === time.roundCount && known.phase === time.phase;
    const off = isSame ? known.leftInPhase - time.phaseEndsInMillis : Infinity;
    const isConfirmed = this.#state?.error < error && Math.abs(off) <= this.#state.error + error;
    this.#state = isConfirmed ? { time, at: at + off, error: this.#state.error } : { time, at, error };
  }

  /**
   * How things are now.
   * @returns {{ phase: string|null, paused: boolean, leftInPhase: number|null, phaseLength: number|null, round: number|null }|null}
   */
  now(at = performance.now()) {
    const { game } = this;
    if (!this.#state || !game) return null;
    const { phase, paused, roundCount: round, roundTimeInMillis: inRound, phaseEndsInMillis: ends } = this.#state.time;
    if (!phase || ends === null) return { phase, paused, round, leftInPhase: null, phaseLength: null };
    const roundLength = phase === 'collection' ? (inRound + ends) / COLLECTION : inRound + ends;
    const left = ends - (paused ? 0 : Math.min(Math.max(0, at - this.#state.at), ends + LONGEST_ALONE));
    const told = { phase, round, left, roundLength };
    // In turbo a phase ends when nobody needs it any longer, which only the server knows.
    const reached = paused || game.pace === 'turbo' ? told : onSchedule(told, game);
    const phaseLength = reached.roundLength * (reached.phase === 'collection' ? COLLECTION : 1 - COLLECTION);
    return { phase: reached.phase, paused, round: reached.round, leftInPhase: Math.max(0, reached.left), phaseLength };
  }
}

/** Goes on over the boundaries that have passed. */
function onSchedule({ phase, round, left, roundLength }, { roundLengthInMillis: nextLength, maxRounds }) {
  while (left <= 0) {
    if (phase === 'collection') {
      phase = 'execution';
      left += roundLength * (1 - COLLECTION);
    } else if (round >= maxRounds) {
      break;
    } else {
      round += 1;
      phase = 'collection';
      roundLength = nextLength;
      left += roundLength * COLLECTION;
    }
  }
  return { phase, round, left, roundLength };
}
