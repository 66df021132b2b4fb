// The records of a game by round, and the states that are folded from them.
// Snapshots on the way make any past state cheap; figures of each round are kept for plots.

import { DEPOSIT_MINED, DESTROYED_ROBOT, FOUGHT, MINED, apply } from './operations.js';
import { RecordList } from './record_list.js';

/** Within a round trades come first, and the map tells of nothing but deposits. So streams may arrive in any order. */
const FOLD_ORDER = ['trading', 'robot', 'map'];

/** A round's figures: what the deposits of kinds 1 to 5 hold at its end, and what happened in it. */
export const MININGS = 6;
export const UNITS_MINED = 7;
export const FIGHTS = 8;
export const DEATHS = 9;
const FIGURES = 10;

export class History {
  /** @param {import('./world_state.js').WorldState} asMade the state before round 0 */
  constructor(asMade) {
    /** @type {Array<Record<string, RecordList>>} by round and service */
    this.rounds = [];
    this.snapshots = [asMade];
    /** @type {Float64Array[]} by round, as far as they are known */
    this.figures = [];
  }

  /** Notes a record. What is told late of a past round changes it and all after it. */
  add(round, service, operation, a, b, c, d) {
    const lists = (this.rounds[round] ??= {});
    (lists[service] ??= new RecordList()).push(operation, a, b, c, d);
    while (this.snapshots.at(-1).round >= round) this.snapshots.pop();
    if (this.figures.length > round) this.figures.length = round;
  }

  /** A state of its own for the caller. @param {number} robotCapacity how many robots are known */
  stateAt(wanted, robotCapacity) {
    let nearest = this.snapshots.length - 1;
    while (this.snapshots[nearest].round > wanted) nearest -= 1;
    const state = this.snapshots[nearest].copy(robotCapacity);
    let folded = 0;
    while (state.round < wanted) {
      folded += this.#foldRound(state);
      // A snapshot takes about as much room as the records that need not be folded again because of it.
      if (folded * 2 > state.words && state.round > this.snapshots.at(-1).round) {
        this.snapshots.push(state.copy(robotCapacity));
        folded = 0;
      }
    }
    return state;
  }

  /** Figures of all rounds up to this one. @returns {Float64Array[]} */
  figuresUpTo(lastRound, robotCapacity) {
    if (this.figures.length <= lastRound) this.stateAt(lastRound, robotCapacity);
    return this.figures;
  }

  /** @returns {number} how many records the round has */
  visitRound(round, visit) {
    const lists = this.rounds[round];
    let count = 0;
    if (!lists) return count;
    for (const service of FOLD_ORDER) {
      const list = lists[service];
      list?.forEach(visit);
      count += list?.length ?? 0;
    }
    return count;
  }

  #foldRound(state) {
    const round = state.round + 1;
    const counted = new Float64Array(FIGURES);
    const count = this.visitRound(round, (operation, a, b, c, d) => {
      apply(state, operation, a, b, c, d);
      if (operation === MINED) counted[MININGS] += 1;
      else if (operation === DEPOSIT_MINED) counted[UNITS_MINED] += c;
      else if (operation === FOUGHT) counted[FIGHTS] += 1;
      else if (operation === DESTROYED_ROBOT) counted[DEATHS] += 1;
    });
    state.round = round;
    counted.set(state.depositTotals);
    this.figures[round] ??= counted;
    return count;
  }
}
