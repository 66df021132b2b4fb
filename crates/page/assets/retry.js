// How long to wait before a server that is away is asked again: never longer than a second, since rounds may be short.
// By chance up to half less, so that a class does not come back in the same instant.

const FIRST = 200;
const LONGEST = 1000;

/** In milliseconds, after so many failures in a row. */
export function retryWait(failures, random = Math.random) {
  const wait = Math.min(LONGEST, FIRST * 2 ** Math.min(failures, 10));
  return wait * (0.5 + random() / 2);
}
