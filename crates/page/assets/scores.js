// How every player stood after every round, from the server's history and from its `scores` events.
// Ranks follow the server's rule: money, then robots, then fights won; equal ones share a rank.

export class ScoreHistory {
  /** Round → player → values. */
  #rounds = new Map();

  /** @param {{ rounds: number[], players: object[] }} answer `GET /games/{id}/scores` */
  static fromAnswer(answer) {
    const history = new ScoreHistory();
    answer.rounds.forEach((roundNumber, index) => {
      const players = answer.players.map((one) => ({
        playerId: one.playerId,
        money: one.money[index],
        robotsAlive: one.robotsAlive[index],
        mined: one.mined[index],
        fightsWon: one.fightsWon[index],
      }));
      history.append({ roundNumber, players });
    });
    return history;
  }

  /** @param {{ roundNumber: number, players: object[] }} payload of a `scores` event */
  append({ roundNumber, players }) {
    this.#rounds.set(roundNumber, new Map(players.map((one) => [one.playerId, one])));
  }

  get rounds() {
    return [...this.#rounds.keys()].sort((a, b) => a - b);
  }

  /** One list of values per player, in the order of `rounds`. */
  series(field, playerIds) {
    const rounds = this.rounds;
    return playerIds.map((id) => rounds.map((round) => this.#rounds.get(round).get(id)?.[field] ?? null));
  }

  /** The scoreboard at the end of a round: of the last round that was scored by then. */
  board(round) {
    const scored = this.rounds.filter((one) => one <= round).at(-1);
    if (scored === undefined) return [];
    const order = ['money', 'robotsAlive', 'fightsWon'];
    const compare = (a, b) => order.map((field) => (b[field] ?? 0) - (a[field] ?? 0)).find((difference) => difference !== 0) ?? 0;
    const rows = [...this.#rounds.get(scored).values()].sort(compare);
    let rank = 0;
    return rows.map((row, index) => {
      if (index === 0 || compare(rows[index - 1], row) !== 0) rank = index + 1;
      return { ...row, rank };
    });
  }
}

/** What a row of the scoreboard has mined, whether it is told as a sum or by kind. */
export function minedBy(row) {
  if (row.mined === null || typeof row.mined !== 'object') return row.mined;
  return Object.values(row.mined).reduce((sum, amount) => sum + amount, 0);
}
