// A player's name as it is shown. Names are whatever somebody registered, also blanks and signs that draw nothing:
// such a player is told by its id.

import { shortId } from './short_id.js';

const HAS_INK = /[\p{L}\p{N}\p{P}\p{S}]/u;

export function shownName(name, playerId) {
  return HAS_INK.test(name ?? '') ? name : `player ${shortId(playerId)}`;
}
