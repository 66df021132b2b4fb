// Draws deposits: the shape and colour of their kind, and a gauge of how full they are.
// Far away a coloured point has to do.

import { kindName } from '../model/kinds.js';
import { AMOUNTS, GAUGES, SHAPES } from './look.js';
import { drawable, shapePath } from './shapes.js';

const SHAPE_RADIUS = 0.115;
const GAUGE_RADIUS = 0.225;
const GAUGE_WIDTH = 0.045;
const TOP = -Math.PI / 2;

export class DepositsLayer {
  /** @param {Array<{kind: string, shape: string, colour: (theme: string) => string}>} resources */
  constructor(resources) {
    this.resources = new Map(resources.map((resource) => [resource.kind, resource]));
    /** @type {number[][]} planets by kind, 1 to 5 */
    this.planetsByKind = [];
  }

  setState(state) {
    this.state = state;
    this.planetsByKind = [[], [], [], [], [], []];
    state?.depositKind.forEach((kind, planet) => {
      if (kind > 0) this.planetsByKind[kind].push(planet);
    });
  }

  draw(context, camera, look, theme, planets) {
    const { scale, width, height } = camera;
    this.planetsByKind.forEach((indexes, number) => {
      const resource = this.resources.get(kindName(number));
      if (!resource || indexes.length === 0) return;
      const colour = resource.colour(theme);
      const shape = drawable(shapePath(resource.shape));
      for (const index of indexes) {
        const x = camera.screenX(planets[index].x);
        const y = camera.screenY(planets[index].y);
        if (x < -scale || y < -scale || x > width + scale || y > height + scale) continue;
        context.fillStyle = colour;
        if (scale < SHAPES) drawPoint(context, x, y, scale, this.#fullness(index));
        else this.#drawDeposit(context, x, y, scale, index, colour, shape, look);
      }
    });
    context.globalAlpha = 1;
  }

  #fullness(index) {
    const max = this.state.depositMax[index];
    return max > 0 ? Math.min(this.state.depositAmount[index] / max, 1) : 0;
  }

  #drawDeposit(context, x, y, scale, index, colour, shape, look) {
    const fullness = this.#fullness(index);
    const radius = scale * (scale < GAUGES ? SHAPE_RADIUS * 1.6 : SHAPE_RADIUS);
    context.globalAlpha = fullness === 0 ? 0.35 : 1;
    context.translate(x, y);
    context.scale(radius, radius);
    context.fill(shape);
    context.scale(1 / radius, 1 / radius);
    context.translate(-x, -y);
    context.globalAlpha = 1;
    if (scale < GAUGES) return;
    context.lineWidth = Math.max(1.5, scale * GAUGE_WIDTH);
    strokeArc(context, x, y, scale * GAUGE_RADIUS, 1, look.gaugeTrack);
    if (fullness > 0) strokeArc(context, x, y, scale * GAUGE_RADIUS, fullness, colour);
    if (scale >= AMOUNTS) this.#drawAmount(context, x, y, scale, index, look);
  }

  #drawAmount(context, x, y, scale, index, look) {
    context.fillStyle = look.text;
    context.font = `${Math.min(13, scale * 0.11)}px system-ui, sans-serif`;
    context.textAlign = 'center';
    context.textBaseline = 'alphabetic';
    context.fillText(this.state.depositAmount[index].toLocaleString('en'), x, y + scale * 0.37);
  }
}

function drawPoint(context, x, y, scale, fullness) {
  const size = Math.max(1.5, scale * 0.42);
  // Robots are to be seen among thousands of deposits.
  context.globalAlpha = 0.2 + 0.4 * fullness;
  context.fillRect(x - size / 2, y - size / 2, size, size);
}

function strokeArc(context, x, y, radius, part, colour) {
  context.strokeStyle = colour;
  context.beginPath();
  context.arc(x, y, radius, TOP, TOP + part * 2 * Math.PI);
  context.stroke();
}
