// The colours of players and the colours and shapes of resources.
// One home, so that the world, the plots and the scoreboard never disagree.

/**
 * Ten colours that tell apart for colour-blind people, too; each has a light and a dark form with enough contrast (3:1) to
 * the page's background. The order alternates lightness, so that neighbours in the list differ by more than hue.
 */
const PLAYERS = [
  { light: '#2563eb', dark: '#6ea8ff' }, // blue
  { light: '#d9480f', dark: '#ff9a5c' }, // orange
  { light: '#087f6a', dark: '#3ddbb8' }, // teal
  { light: '#b02a8f', dark: '#f08bd5' }, // magenta
  { light: '#8a6d00', dark: '#f2cf4a' }, // ochre
  { light: '#5b3fd1', dark: '#b7a1ff' }, // violet
  { light: '#c1121f', dark: '#ff7b7b' }, // red
  { light: '#0b7ea8', dark: '#5fd3f7' }, // sky
  { light: '#4d7c0f', dark: '#a3d94f' }, // green
  { light: '#7a4a2b', dark: '#d6a780' }, // brown
];

/** The angle that spreads any number of hues without two of them meeting. */
const GOLDEN_ANGLE = 137.508;

/** `'light'` or `'dark'`: what the page shows now. */
export function currentTheme() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

/**
 * The colour of the player who joined as number `index` (from 0).
 * @param {number} index
 * @param {'light'|'dark'} [theme]
 */
export function playerColour(index, theme = currentTheme()) {
  if (index < 0) return theme === 'dark' ? '#9aa3b5' : '#626c80';
  if (index < PLAYERS.length) return PLAYERS[index][theme];
  const hue = (index * GOLDEN_ANGLE) % 360;
  return theme === 'dark' ? `hsl(${hue.toFixed(1)} 75% 72%)` : `hsl(${hue.toFixed(1)} 70% 36%)`;
}

/** The same for style sheets: it follows the theme by itself. */
export const playerSwatch = (index) => `light-dark(${playerColour(index, 'light')}, ${playerColour(index, 'dark')})`;

/** A resource: told apart by shape as well as by colour. */
function resource(kind, label, shape, light, dark) {
  return { kind, label, shape, swatch: `light-dark(${light}, ${dark})`, colour: (theme = currentTheme()) => (theme === 'dark' ? dark : light) };
}

/** In the order of their worth. */
export const RESOURCES = [
  resource('coal', 'Coal', 'circle', '#4b5563', '#a7b0c0'),
  resource('iron', 'Iron', 'square', '#9a5b34', '#d79a72'),
  resource('gem', 'Gem', 'diamond', '#0f7f6c', '#4fd6bb'),
  resource('gold', 'Gold', 'triangle', '#9a7200', '#f0c541'),
  resource('platin', 'Platin', 'hexagon', '#5566c9', '#aab8ff'),
];

/** The resource of a kind as the services write it (any case), or nothing. */
export function resourceOf(kind) {
  const wanted = String(kind ?? '').toLowerCase();
  return RESOURCES.find((one) => one.kind === wanted);
}
