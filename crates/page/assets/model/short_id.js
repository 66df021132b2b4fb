// Enough of an id to tell it from others. Ids that were made together begin alike, so its end is shown.

const SHOWN = 8;

export const shortId = (id) => String(id ?? '').slice(-SHOWN);
