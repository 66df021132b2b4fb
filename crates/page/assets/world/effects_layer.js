// Shows what happens, as it happens: minings pulse, fights flash, deaths burst and fade, replenishments glow.
// Moves are glides of the robots themselves. Each effect is short, and drawn only where it is in view.

import { easeOut } from './robot_places.js';

/** Which part of the time each kind takes, where a whole round is played at once: as the round's phases follow each other. */
const PHASES = { spawn: [0, 0.4], move: [0, 0.6], fight: [0.45, 0.85], death: [0.65, 1], mine: [0.55, 1], replenish: [0.5, 1] };
const MOST_EFFECTS = 3000;
const SPARKS = 8;

export class EffectsLayer {
  constructor(resources, colourOfPlayer) {
    this.resources = new Map(resources.map((resource) => [resource.kind, resource]));
    this.colourOfPlayer = colourOfPlayer;
    this.running = [];
  }

  /**
   * @param {import('../model/effects.js').Effect[]} effects
   * @param {object} world `places`, `robotPlaces` and `names` of what is shown
   */
  play(effects, { places, robotPlaces, names }, now, millis) {
    const areMixed = effects.some(({ kind }) => kind === 'move') && effects.some(({ kind }) => kind !== 'move');
    for (const effect of effects) {
      const [from, to] = areMixed ? PHASES[effect.kind] ?? [0, 1] : [0, 1];
      const [start, end] = [now + from * millis, now + to * millis];
      const robot = names.robotNumbers.get(effect.robot) ?? -1;
      if (effect.kind === 'move') {
        if (robot >= 0) robotPlaces.glide(robot, places.indexOf(effect.to), start, end, now);
        continue;
      }
      const planet = places.planets[places.indexOf(effect.planet)];
      if (!planet || this.running.length >= MOST_EFFECTS) continue;
      const target = names.robotNumbers.get(effect.target) ?? -1;
      const player = names.robotPlayers[robot] ?? -1;
      this.running.push({ kind: effect.kind, planet, robot, target, player, resource: effect.resource, start, end,
        goneFrom: effect.kind === 'death' ? robotPlaces.positionOf(robot, now) : null });
    }
  }

  stop() {
    this.running = [];
  }

  /** Forgets effects that have ended. @returns {boolean} whether some go on */
  settle(now) {
    this.running = this.running.filter(({ end }) => now < end);
    return this.running.length > 0;
  }

  draw(context, camera, look, theme, robotPlaces, now) {
    for (const effect of this.running) {
      const x = camera.screenX(effect.planet.x);
      const y = camera.screenY(effect.planet.y);
      const { scale } = camera;
      if (x < -scale || y < -scale || x > camera.width + scale || y > camera.height + scale) continue;
      const part = (now - effect.start) / (effect.end - effect.start);
      if (part < 0 && effect.kind !== 'death') continue;
      const colour = this.resources.get(effect.resource)?.colour(theme) ?? look.text;
      if (effect.kind === 'mine') drawPulse(context, x, y, scale, part, colour);
      else if (effect.kind === 'replenish') drawGlow(context, x, y, scale, part, colour);
      else if (effect.kind === 'spawn') this.#drawArrival(context, camera, robotPlaces, effect, part, now);
      else if (effect.kind === 'fight') drawFight(context, camera, look, robotPlaces, effect, part, now);
      else if (effect.kind === 'death') this.#drawBurst(context, camera, effect, part);
    }
    context.globalAlpha = 1;
  }

  #drawArrival(context, camera, robotPlaces, { robot, planet, player }, part, now) {
    const at = robotPlaces.positionOf(robot, now) ?? planet;
    context.globalAlpha = 1 - easeOut(part);
    context.strokeStyle = this.colourOfPlayer(player);
    context.lineWidth = 2;
    strokeCircle(context, camera.screenX(at.x), camera.screenY(at.y), camera.scale * (0.34 - 0.24 * easeOut(part)));
  }

  /** Until its burst begins, a robot that is gone is still to be seen: the fight comes first. */
  #drawBurst(context, camera, { planet, player, goneFrom }, part) {
    const at = goneFrom ?? planet;
    const [x, y] = [camera.screenX(at.x), camera.screenY(at.y)];
    context.fillStyle = this.colourOfPlayer(player);
    if (part < 0) {
      fillCircle(context, x, y, Math.max(2.5, camera.scale * 0.1));
      return;
    }
    const reach = Math.max(6, camera.scale * 0.42) * easeOut(part);
    context.globalAlpha = 1 - part;
    for (let spark = 0; spark < SPARKS; spark += 1) {
      const angle = ((spark + 0.5) / SPARKS) * 2 * Math.PI;
      fillCircle(context, x + Math.cos(angle) * reach, y + Math.sin(angle) * reach, Math.max(1, camera.scale * 0.045 * (1 - part)));
    }
  }
}

function drawPulse(context, x, y, scale, part, colour) {
  context.globalAlpha = 0.8 * (1 - part);
  context.strokeStyle = colour;
  context.lineWidth = Math.max(1, scale * 0.05 * (1 - part));
  strokeCircle(context, x, y, scale * (0.225 + 0.26 * easeOut(part)));
}

function drawGlow(context, x, y, scale, part, colour) {
  const radius = Math.max(5, scale * 0.62);
  const glow = context.createRadialGradient(x, y, 0, x, y, radius);
  glow.addColorStop(0, colour);
  glow.addColorStop(1, 'transparent');
  context.globalAlpha = 0.75 * Math.sin(Math.PI * Math.min(part, 1));
  context.fillStyle = glow;
  fillCircle(context, x, y, radius);
}

/** A bolt from the attacker to the defender, and a flash where it strikes. */
function drawFight(context, camera, look, robotPlaces, { planet, robot, target }, part, now) {
  const from = robotPlaces.positionOf(robot, now) ?? planet;
  const to = robotPlaces.positionOf(target, now) ?? planet;
  const [x, y] = [camera.screenX(to.x), camera.screenY(to.y)];
  context.globalAlpha = 1 - part;
  context.strokeStyle = look.fight;
  context.lineWidth = Math.max(1, camera.scale * 0.035);
  context.beginPath();
  context.moveTo(camera.screenX(from.x), camera.screenY(from.y));
  context.lineTo(x, y);
  context.stroke();
  strokeCircle(context, x, y, Math.max(3, camera.scale * (0.1 + 0.12 * easeOut(part))));
}

function strokeCircle(context, x, y, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.stroke();
}

function fillCircle(context, x, y, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}
