// The shapes of resources and of space stations, as paths around (0, 0) with a radius of 1.
// One text for each, so that the canvas and the legend show the same.

const PATHS = {
  circle: 'M 0.9 0 A 0.9 0.9 0 1 1 -0.9 0 A 0.9 0.9 0 1 1 0.9 0 Z',
  square: 'M -0.78 -0.78 H 0.78 V 0.78 H -0.78 Z',
  diamond: 'M 0 -1.08 L 0.86 0 L 0 1.08 L -0.86 0 Z',
  triangle: 'M 0 -1 L 0.98 0.74 L -0.98 0.74 Z',
  hexagon: 'M 0.87 -0.5 V 0.5 L 0 1 L -0.87 0.5 V -0.5 L 0 -1 Z',
};

/** A ring with four docks, and its hub. */
export const STATION_PATH = stationPath();

/** @param {string} shape @returns {string} what an SVG path and a Path2D take */
export function shapePath(shape) {
  return PATHS[shape] ?? PATHS.circle;
}

function stationPath() {
  const docks = [0, 90, 180, 270].map((degrees) => {
    const [from, to] = [degrees + 14, degrees + 76].map((angle) => (angle * Math.PI) / 180);
    const at = (angle, radius) => `${(Math.cos(angle) * radius).toFixed(3)} ${(Math.sin(angle) * radius).toFixed(3)}`;
    return `M ${at(from, 1)} A 1 1 0 0 1 ${at(to, 1)} L ${at(to, 0.74)} A 0.74 0.74 0 0 0 ${at(from, 0.74)} Z`;
  });
  return `${docks.join(' ')} M 0.36 0 A 0.36 0.36 0 1 1 -0.36 0 A 0.36 0.36 0 1 1 0.36 0 Z`;
}

/** The path as the canvas draws it, made once. @param {string} path @returns {Path2D} */
export function drawable(path) {
  let made = made2d.get(path);
  if (!made) made2d.set(path, (made = new Path2D(path)));
  return made;
}

const made2d = new Map();
