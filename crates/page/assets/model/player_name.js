// A player's name as it is shown. Names are whatever somebody registered, also blanks and signs that draw nothing:
// such a player is told by the beginning of its id.

const HAS_INK = /[\p{L}\p{N}\p{P}\p{S}]/u;

export function shownName(name, playerId) {
  return HAS_INK.test(name ?? '') ? name : `player ${String(playerId).slice(0, 8)}`;
}
