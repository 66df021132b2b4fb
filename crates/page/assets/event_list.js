// The latest events, for reading. The oldest go: a day of events would not fit,
// and who wants all of them downloads the replay.

const KEPT = 1000;
/** Dropping one by one from the front of a list is slow. */
const SLACK = 250;

export class EventList {
  items = [];
  channels = new Set();
  #next = 0;

  push(service, event) {
    this.channels.add(event.channel);
    this.items.push({ number: this.#next++, service, event });
    if (this.items.length > KEPT + SLACK) this.items = this.items.slice(-KEPT);
  }

  /** How many there ever were. */
  get count() {
    return this.#next;
  }

  /** The newest first, of those before number `end`. */
  matching(channel, playerId, limit, end = Infinity) {
    const found = [];
    for (let index = this.items.length - 1; index >= 0 && found.length < limit; index--) {
      const { event, number } = this.items[index];
      if (number >= end) continue;
      if (channel && event.channel !== channel) continue;
      if (playerId && event.about?.playerId !== playerId && event.payload?.playerId !== playerId) continue;
      found.push(this.items[index]);
    }
    return found;
  }
}
