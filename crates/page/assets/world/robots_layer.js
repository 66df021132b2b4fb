// Draws robots as dots in the colour of their player; a crowd is a ring of its players' shares with a count.
// Robots are drawn colour by colour, because changing colours is what takes time.

import { GAUGES, SHAPES } from './look.js';
import { ORBIT } from './robot_places.js';

const DOT_RADIUS = 0.1;
const FAR_DOT = 0.4;
const DIMMED = 0.18;
const CROWD_WIDTH = 0.1;

export class RobotsLayer {
  /** @param {(index: number) => string} colourOfPlayer */
  constructor(colourOfPlayer) {
    this.colourOfPlayer = colourOfPlayer;
  }

  /** @param {import('./robot_places.js').RobotPlaces} robotPlaces @param {number} highlighted a player, or -1 for all */
  draw(context, camera, look, robotPlaces, state, planets, now, highlighted) {
    const { scale } = camera;
    const byPlayer = this.#visible(camera, robotPlaces, state, now);
    const order = [...byPlayer.keys()].sort((a, b) => (a === highlighted ? 1 : 0) - (b === highlighted ? 1 : 0));
    for (const player of order) {
      context.globalAlpha = highlighted >= 0 && player !== highlighted ? DIMMED : 1;
      context.fillStyle = this.colourOfPlayer(player);
      if (scale < SHAPES) fillPoints(context, byPlayer.get(player), Math.max(3, scale * FAR_DOT));
      else fillDots(context, byPlayer.get(player), Math.max(2.5, scale * DOT_RADIUS), look.robotEdge);
    }
    context.globalAlpha = 1;
    if (scale < SHAPES) return;
    for (const [planet, counts] of robotPlaces.crowds) {
      const x = camera.screenX(planets[planet].x);
      const y = camera.screenY(planets[planet].y);
      if (isVisible(camera, x, y)) this.#drawCrowd(context, x, y, scale, counts, look, highlighted);
    }
  }

  /** Screen positions by player: x and y in turn. @returns {Map<number, number[]>} */
  #visible(camera, robotPlaces, state, now) {
    const byPlayer = new Map();
    const { scale } = camera;
    robotPlaces.planets.forEach((planet, robot) => {
      if (planet < 0) return;
      const isGliding = robotPlaces.glides.has(robot);
      // Far away there is no room for a crowd's ring: its robots are points like all others.
      if (scale >= SHAPES && !isGliding && robotPlaces.crowds.has(planet)) return;
      const at = isGliding ? robotPlaces.positionOf(robot, now) : null;
      const x = camera.screenX(at ? at.x : robotPlaces.x[robot]);
      const y = camera.screenY(at ? at.y : robotPlaces.y[robot]);
      if (!isVisible(camera, x, y)) return;
      const player = state.names.robotPlayers[robot];
      let points = byPlayer.get(player);
      if (!points) byPlayer.set(player, (points = []));
      points.push(x, y);
    });
    return byPlayer;
  }

  #drawCrowd(context, x, y, scale, counts, look, highlighted) {
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
    let angle = -Math.PI / 2;
    context.lineWidth = Math.max(2, scale * CROWD_WIDTH);
    for (const [player, count] of counts) {
      const end = angle + (count / all) * 2 * Math.PI;
      context.globalAlpha = highlighted >= 0 && player !== highlighted ? DIMMED : 1;
      context.strokeStyle = this.colourOfPlayer(player);
      context.beginPath();
      context.arc(x, y, scale * ORBIT, angle, end);
      context.stroke();
      angle = end;
    }
    context.globalAlpha = 1;
    if (scale >= GAUGES) drawCount(context, x + scale * 0.3, y + scale * 0.32, scale, all, look);
  }
}

function drawCount(context, x, y, scale, count, look) {
  const text = count > 999 ? `${Math.floor(count / 1000)}k` : String(count);
  const height = Math.max(12, Math.min(20, scale * 0.26));
  context.font = `600 ${height * 0.74}px system-ui, sans-serif`;
  const width = Math.max(height, context.measureText(text).width + height * 0.6);
  context.fillStyle = look.badge;
  context.beginPath();
  context.roundRect(x - width / 2, y - height / 2, width, height, height / 2);
  context.fill();
  context.fillStyle = look.badgeText;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(text, x, y + height * 0.04);
}

function fillPoints(context, points, size) {
  for (let at = 0; at < points.length; at += 2) context.fillRect(points[at] - size / 2, points[at + 1] - size / 2, size, size);
}

/** An edge in the background's colour keeps neighbouring dots apart. */
function fillDots(context, points, radius, edge) {
  context.strokeStyle = edge;
  context.lineWidth = Math.max(1, radius * 0.36);
  context.beginPath();
  for (let at = 0; at < points.length; at += 2) {
    context.moveTo(points[at] + radius, points[at + 1]);
    context.arc(points[at], points[at + 1], radius, 0, 2 * Math.PI);
  }
  context.stroke();
  context.fill();
}

function isVisible(camera, x, y) {
  const { scale, width, height } = camera;
  return x > -scale && y > -scale && x < width + scale && y < height + scale;
}
