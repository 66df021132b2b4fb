// What never changes while a world is shown: background, stars, cells and space stations.
// It is drawn once into a canvas that is larger than the view; panning and zooming move that picture.

import { COORDINATES, FINE_CELLS, LINKS, ROUND_CELLS, SHAPES, ranksOf, tint } from './look.js';
import { STATION_PATH, drawable } from './shapes.js';

/** How much of the view's size is drawn beyond each of its edges. */
const MARGIN = 0.25;
/** While the view zooms, the picture is stretched within these bounds before it is drawn anew. */
const LEAST_STRETCH = 0.6;
const MOST_STRETCH = 1.7;
/** Part of a cell that is left empty on each side, and the radius of its corners. */
export const CELL_GAP = 0.07;
export const CELL_RADIUS = 0.27;
const LINK_WIDTH = 0.07;

export class TerrainLayer {
  constructor() {
    this.canvas = document.createElement('canvas');
    this.drawn = null;
  }

  setWorld(places) {
    this.places = places;
    this.ranks = ranksOf(places.planets);
    this.drawn = null;
  }

  setLook(look) {
    this.look = look;
    this.drawn = null;
  }

  /**
   * @param {CanvasRenderingContext2D} context in CSS pixels
   * @param {import('./camera.js').Camera} camera
   * @param {boolean} isMoving whether a stretched picture will do for now
   */
  draw(context, camera, ratio, isMoving) {
    if (!this.#covers(camera, ratio, isMoving)) this.#drawAnew(camera, ratio, isMoving && camera.scale < FINE_CELLS);
    const { x, y, scale, width, height } = this.drawn;
    const stretch = camera.scale / scale;
    const left = camera.screenX(x) - (width / 2) * stretch;
    const top = camera.screenY(y) - (height / 2) * stretch;
    context.fillStyle = this.look.background;
    context.fillRect(0, 0, camera.width, camera.height);
    context.drawImage(this.canvas, left, top, width * stretch, height * stretch);
  }

  #covers(camera, ratio, isMoving) {
    const { drawn } = this;
    if (!drawn || drawn.ratio !== ratio || drawn.viewWidth !== camera.width || drawn.viewHeight !== camera.height) return false;
    const stretch = camera.scale / drawn.scale;
    if (!isMoving && (stretch !== 1 || drawn.isRough)) return false;
    if (stretch < LEAST_STRETCH || stretch > MOST_STRETCH) return false;
    const roomX = (drawn.width * stretch - camera.width) / 2;
    const roomY = (drawn.height * stretch - camera.height) / 2;
    // A picture that has become too small for the view shows stars missing at its edges, which is well for a moment.
    if (isMoving && stretch < 1) return Math.abs(camera.x - drawn.x) * camera.scale <= camera.width * MARGIN;
    return Math.abs(camera.x - drawn.x) * camera.scale <= roomX && Math.abs(camera.y - drawn.y) * camera.scale <= roomY;
  }

  #drawAnew(camera, ratio, isRough) {
    const width = Math.ceil(camera.width * (1 + 2 * MARGIN));
    const height = Math.ceil(camera.height * (1 + 2 * MARGIN));
    const { x, y, scale } = camera;
    this.drawn = { x, y, scale, width, height, ratio, isRough, viewWidth: camera.width, viewHeight: camera.height };
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const context = this.canvas.getContext('2d', { alpha: false });
    context.scale(ratio, ratio);
    context.fillStyle = this.look.background;
    context.fillRect(0, 0, width, height);
    context.translate(width / 2 - x * scale, height / 2 + y * scale);
    const part = {
      left: x - width / 2 / scale - 1,
      right: x + width / 2 / scale + 1,
      bottom: y - height / 2 / scale - 1,
      top: y + height / 2 / scale + 1,
    };
    this.#drawStars(context, part, scale);
    this.#drawCells(context, part, scale, ratio, isRough);
  }

  /** The same stars for the same part of the sky, however often it is drawn. */
  #drawStars(context, { left, right, bottom, top }, scale) {
    const step = Math.max(1, Math.ceil(36 / scale));
    context.fillStyle = this.look.star;
    for (let y = Math.floor(bottom / step) * step; y <= top; y += step) {
      for (let x = Math.floor(left / step) * step; x <= right; x += step) {
        const chance = scatter(x, y);
        if (chance > 0.42) continue;
        const size = 0.5 + scatter(y + 7, x - 3) ** 3 * 1.5;
        const east = x + (scatter(x + 31, y + 17) - 0.5) * step;
        const north = y + (scatter(x - 13, y + 41) - 0.5) * step;
        if (this.places.at(east, north) >= 0) continue;
        context.globalAlpha = 0.35 + 0.65 * (chance / 0.42);
        context.beginPath();
        context.arc(east * scale, -north * scale, size, 0, 2 * Math.PI);
        context.fill();
      }
    }
    context.globalAlpha = 1;
  }

  #drawCells(context, part, scale, ratio, isRough) {
    const { planets } = this.places;
    const groups = new Map();
    for (const index of this.places.within(part)) {
      const { station, difficulty } = planets[index];
      const group = station ? 'station' : difficulty;
      if (!groups.has(group)) groups.set(group, []);
      groups.get(group).push(index);
    }
    if (scale >= LINKS) this.#drawLinks(context, part, scale);
    for (const [group, indexes] of groups) {
      context.fillStyle = group === 'station' ? `rgb(${this.look.stationCell.join(', ')})` : tint(this.look, this.ranks.get(group));
      if (scale < ROUND_CELLS) this.#fillSquares(context, indexes, scale);
      else if (isRough) this.#fillRoughly(context, indexes, scale);
      else this.#fillRounded(context, indexes, scale, ratio);
    }
    for (const index of groups.get('station') ?? []) this.#drawStation(context, planets[index], scale);
    if (scale >= COORDINATES) this.#drawCoordinates(context, part, scale);
  }

  /** Between neighbours lies a way, which robots take. */
  #drawLinks(context, part, scale) {
    context.fillStyle = this.look.link;
    const width = Math.max(1, scale * LINK_WIDTH);
    const length = scale * 0.2;
    for (const index of this.places.within(part)) {
      const { x, y } = this.places.planets[index];
      if (this.places.at(x + 1, y) >= 0) context.fillRect((x + 0.4) * scale, -y * scale - width / 2, length, width);
      if (this.places.at(x, y + 1) >= 0) context.fillRect(x * scale - width / 2, -(y + 0.6) * scale, width, length);
    }
  }

  /** Far away cells run together to areas; half a pixel more leaves no seams. */
  #fillSquares(context, indexes, scale) {
    for (const index of indexes) {
      const { x, y } = this.places.planets[index];
      context.fillRect((x - 0.5) * scale, (-y - 0.5) * scale, scale + 0.5, scale + 0.5);
    }
  }

  /** While the view moves, a cross of two rectangles has to do: thousands of rounded paths take longer than a frame. */
  #fillRoughly(context, indexes, scale) {
    const long = scale * (1 - CELL_GAP * 2);
    const short = long - scale * CELL_RADIUS * 0.6;
    for (const index of indexes) {
      const { x, y } = this.places.planets[index];
      context.fillRect(x * scale - long / 2, -y * scale - short / 2, long, short);
      context.fillRect(x * scale - short / 2, -y * scale - long / 2, short, long);
    }
  }

  #fillRounded(context, indexes, scale, ratio) {
    const size = scale * (1 - CELL_GAP * 2);
    context.strokeStyle = this.look.cellEdge;
    context.lineWidth = 1 / ratio;
    // One path for all cells is slower than several: the rasterizer sorts all edges of a path.
    const atOnce = 64;
    for (let first = 0; first < indexes.length; first += atOnce) {
      context.beginPath();
      for (const index of indexes.slice(first, first + atOnce)) {
        const { x, y } = this.places.planets[index];
        context.roundRect(x * scale - size / 2, -y * scale - size / 2, size, size, CELL_RADIUS * scale);
      }
      context.fill();
      context.stroke();
    }
  }

  #drawStation(context, { x, y }, scale) {
    context.fillStyle = this.look.station;
    if (scale < SHAPES) {
      const size = scale * 0.56;
      context.fillRect(x * scale - size / 2, -y * scale - size / 2, size, size);
      return;
    }
    context.save();
    context.translate(x * scale, -y * scale);
    context.scale(scale * 0.22, scale * 0.22);
    context.fill(drawable(STATION_PATH));
    context.restore();
  }

  #drawCoordinates(context, part, scale) {
    context.fillStyle = this.look.text;
    context.font = `${Math.min(12, scale * 0.13)}px system-ui, sans-serif`;
    context.textAlign = 'left';
    context.textBaseline = 'top';
    for (const index of this.places.within(part)) {
      const { x, y } = this.places.planets[index];
      context.fillText(`${x},${y}`, (x - 0.5 + CELL_GAP * 2) * scale, (-y - 0.5 + CELL_GAP * 2) * scale);
    }
  }
}

/** A number from 0 to 1 that follows from two others. */
function scatter(x, y) {
  let bits = Math.imul(x | 0, 374761393) + Math.imul(y | 0, 668265263);
  bits = Math.imul(bits ^ (bits >>> 13), 1274126177);
  return ((bits ^ (bits >>> 16)) >>> 0) / 4294967296;
}
