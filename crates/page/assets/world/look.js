// The colours of the world, light and dark, and how much is drawn at which size of a cell.
// The canvas cannot read style sheets, so its colours are here.

const LIGHT = {
  background: '#eef1f6',
  star: 'rgba(84, 98, 140, 0.34)',
  easiest: [255, 255, 255],
  hardest: [209, 215, 247],
  cellEdge: 'rgba(70, 84, 130, 0.2)',
  link: '#d6dbe7',
  station: '#27304a',
  stationCell: [226, 232, 244],
  gaugeTrack: 'rgba(50, 62, 105, 0.14)',
  text: '#4a5573',
  robotEdge: '#ffffff',
  badge: '#27304a',
  badgeText: '#ffffff',
  hover: 'rgba(39, 48, 74, 0.5)',
  accent: '#4f46e5',
  fight: '#dc2626',
};

const DARK = {
  background: '#0b0e14',
  star: 'rgba(186, 200, 240, 0.42)',
  easiest: [20, 27, 43],
  hardest: [54, 58, 112],
  cellEdge: 'rgba(160, 178, 230, 0.16)',
  link: '#1f2738',
  station: '#e6ebf8',
  stationCell: [38, 48, 72],
  gaugeTrack: 'rgba(190, 204, 245, 0.16)',
  text: '#a4b0cc',
  robotEdge: '#0b0e14',
  badge: '#e6ebf8',
  badgeText: '#0b0e14',
  hover: 'rgba(230, 235, 248, 0.55)',
  accent: '#a5b4fc',
  fight: '#ff6b6b',
};

/** @param {'light'|'dark'} theme */
export function lookOf(theme) {
  return theme === 'dark' ? DARK : LIGHT;
}

/**
 * The tint of a cell: the harder to enter, the deeper.
 * @param {typeof LIGHT} look
 * @param {number} rank from 0 (the easiest of this world) to 1 (the hardest)
 */
export function tint(look, rank) {
  const mixed = look.easiest.map((from, index) => Math.round(from + (look.hardest[index] - from) * rank));
  return `rgb(${mixed.join(', ')})`;
}

/** Where the difficulties of a world lie between its easiest and its hardest. @returns {Map<number, number>} */
export function ranksOf(planets) {
  const difficulties = [...new Set(planets.map(({ difficulty }) => difficulty))].sort((a, b) => a - b);
  const last = Math.max(difficulties.length - 1, 1);
  return new Map(difficulties.map((difficulty, index) => [difficulty, index / last]));
}

/** From these sizes of a cell on, in CSS pixels, more is drawn. */
export const ROUND_CELLS = 9;
export const SHAPES = 13;
export const LINKS = 20;
/** Smaller ones are so many that they are drawn roughly while the view moves. */
export const FINE_CELLS = 40;
export const GAUGES = 26;
export const COORDINATES = 64;
export const AMOUNTS = 96;
