// Where the view looks: a point of the world in the middle, and how many pixels a cell is wide.
// World coordinates are cells with y growing to the north; screen coordinates are CSS pixels.

const SMALLEST_CELL = 2;
const LARGEST_CELL = 180;
/** A small world is not blown up to fill the screen. */
const LARGEST_FITTED_CELL = 96;

export class Camera {
  constructor() {
    this.x = 0;
    this.y = 0;
    this.scale = 40;
    this.width = 1;
    this.height = 1;
    this.bounds = { left: 0, right: 0, bottom: 0, top: 0 };
  }

  /** @param {Array<{x: number, y: number}>} planets */
  setWorld(planets) {
    const bounds = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
    for (const { x, y } of planets) {
      bounds.left = Math.min(bounds.left, x);
      bounds.right = Math.max(bounds.right, x);
      bounds.bottom = Math.min(bounds.bottom, y);
      bounds.top = Math.max(bounds.top, y);
    }
    this.bounds = planets.length > 0 ? bounds : { left: 0, right: 0, bottom: 0, top: 0 };
  }

  resize(width, height) {
    this.width = Math.max(width, 1);
    this.height = Math.max(height, 1);
  }

  /** The view that shows the whole world with some room around it. */
  fitted() {
    const { left, right, bottom, top } = this.bounds;
    const room = Math.min(this.width, this.height) < 480 ? 12 : 32;
    const across = (this.width - 2 * room) / (right - left + 1);
    const down = (this.height - 2 * room) / (top - bottom + 1);
    const scale = Math.min(Math.max(Math.min(across, down), SMALLEST_CELL / 2), LARGEST_FITTED_CELL);
    return { x: (left + right) / 2, y: (bottom + top) / 2, scale };
  }

  /** The view after zooming by a factor around a point of the screen, which stays where it is. */
  zoomed(factor, screenX = this.width / 2, screenY = this.height / 2) {
    const least = Math.min(SMALLEST_CELL, this.fitted().scale);
    const scale = Math.min(Math.max(this.scale * factor, least), LARGEST_CELL);
    const east = (screenX - this.width / 2) * (1 / this.scale - 1 / scale);
    const north = -(screenY - this.height / 2) * (1 / this.scale - 1 / scale);
    return this.#within({ x: this.x + east, y: this.y + north, scale });
  }

  /** The view after the world was pulled by so many pixels. */
  panned(right, down) {
    return this.#within({ x: this.x - right / this.scale, y: this.y + down / this.scale, scale: this.scale });
  }

  /** The middle of the view never leaves the world, so that nobody gets lost. */
  #within({ x, y, scale }) {
    const { left, right, bottom, top } = this.bounds;
    return { x: Math.min(Math.max(x, left), right), y: Math.min(Math.max(y, bottom), top), scale };
  }

  look({ x, y, scale }) {
    this.x = x;
    this.y = y;
    this.scale = scale;
  }

  screenX(x) {
    return (x - this.x) * this.scale + this.width / 2;
  }

  screenY(y) {
    return (this.y - y) * this.scale + this.height / 2;
  }

  worldX(screenX) {
    return (screenX - this.width / 2) / this.scale + this.x;
  }

  worldY(screenY) {
    return this.y - (screenY - this.height / 2) / this.scale;
  }
}
