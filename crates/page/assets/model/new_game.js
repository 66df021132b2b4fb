// What a new game is like where nothing is said, for the form to show. The server fills it in by itself; a test compares.

export const DEFAULTS = { roundSeconds: 60, startMoney: 200 };
