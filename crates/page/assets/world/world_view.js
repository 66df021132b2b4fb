// The view of a world: owns its canvas, its input, its legend and its text alternative.
// It draws only when something has changed, or as long as something moves.

import { currentTheme } from '../palette.js';
import { Camera } from './camera.js';
import { fillLegend, zoomButtons } from './controls.js';
import { DepositsLayer } from './deposits_layer.js';
import { EffectsLayer } from './effects_layer.js';
import { listenTo } from './input.js';
import { lookOf } from './look.js';
import { Places } from './places.js';
import { RobotPlaces, easeOut } from './robot_places.js';
import { RobotsLayer } from './robots_layer.js';
import { buildSurface } from './surface.js';
import { planetInWords, worldInWords } from './summary.js';
import { CELL_GAP, CELL_RADIUS, TerrainLayer } from './terrain_layer.js';

/** How long a zoom by key or button takes, and how long after the last move the terrain is drawn sharply again. */
const ZOOM_MILLIS = 180;
const SETTLE_MILLIS = 120;

export class WorldView {
  /**
   * @param {HTMLElement} host has a size of its own
   * @param {{onSelectPlanet?: (planetId: string|null) => void, colourOfPlayer: (index: number) => string,
   *   resources: Array<object>, reducedMotion?: boolean}} options
   */
  constructor(host, { onSelectPlanet = () => {}, colourOfPlayer, resources, reducedMotion }) {
    this.onSelectPlanet = onSelectPlanet;
    this.resources = resources;
    this.isStill = reducedMotion ?? matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.camera = new Camera();
    this.places = new Places([]);
    this.robotPlaces = new RobotPlaces();
    this.terrain = new TerrainLayer();
    this.deposits = new DepositsLayer(resources);
    this.robots = new RobotsLayer(colourOfPlayer);
    this.effects = new EffectsLayer(resources, colourOfPlayer);
    this.state = null;
    this.highlighted = -1;
    this.hovered = -1;
    this.selected = -1;
    this.isFitted = true;
    this.movedAt = -Infinity;
    this.zooming = null;
    this.frame = 0;
    this.#build(host);
    this.terrain.setWorld(this.places);
    this.setTheme();
    this.#resize();
  }

  /** @param {Array<{id: string, x: number, y: number, difficulty: number, station: boolean}>} planets of the log */
  setWorld(planets) {
    this.places = new Places(planets);
    this.terrain.setWorld(this.places);
    this.robotPlaces.forget();
    this.effects.stop();
    this.deposits.setState(null);
    this.state = null;
    this.hovered = -1;
    this.selected = -1;
    this.camera.setWorld(planets);
    this.camera.look(this.camera.fitted());
    this.isFitted = true;
    this.#fillLegend();
    this.#tellWorld();
    this.#redraw();
  }

  /** @param {import('../model/world_state.js').WorldState} state of the world that was set */
  show(state, { highlightPlayer = null } = {}) {
    this.highlighted = highlightPlayer === null ? -1 : state.names.playerIndex(highlightPlayer);
    if (state !== this.state) {
      this.state = state;
      this.deposits.setState(state);
      this.robotPlaces.setState(state, this.places.planets, this.isStill ? null : performance.now());
      this.#tellWorld();
    }
    this.#redraw();
  }

  /** @param {import('../model/effects.js').Effect[]} effects @param {number} durationMillis of all of them together */
  play(effects, durationMillis) {
    if (this.isStill || !this.state || document.hidden) return;
    const { places, robotPlaces } = this;
    this.effects.play(effects, { places, robotPlaces, names: this.state.names }, performance.now(), durationMillis);
    this.#redraw();
  }

  select(planetId) {
    this.selected = planetId === null ? -1 : this.places.indexOf(planetId);
    this.#tellPlanet(this.selected);
    this.#redraw();
  }

  fit() {
    this.isFitted = true;
    this.#lookSlowly(this.camera.fitted());
  }

  zoomBy(factor) {
    this.isFitted = false;
    const { scale } = this.zooming?.to ?? this.camera;
    this.#lookSlowly(this.camera.zoomed((scale / this.camera.scale) * factor));
  }

  /** To be called after the page's theme has changed. */
  setTheme() {
    this.theme = currentTheme();
    this.look = lookOf(this.theme);
    this.terrain.setLook(this.look);
    this.#fillLegend();
    this.#redraw();
  }

  destroy() {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.settling);
    this.stopInput();
    this.resizes.disconnect();
    this.darkness.removeEventListener('change', this.onDarkness);
    this.root.remove();
  }

  #build(host) {
    Object.assign(this, buildSurface(host));
    this.context = this.canvas.getContext('2d', { alpha: false });
    const buttons = zoomButtons({ zoomBy: (factor) => this.zoomBy(factor), fit: () => this.fit() });
    this.root.append(buttons);
    this.resizes = new ResizeObserver(() => this.#resize());
    this.resizes.observe(this.root);
    this.darkness = matchMedia('(prefers-color-scheme: dark)');
    this.onDarkness = () => this.setTheme();
    this.darkness.addEventListener('change', this.onDarkness);
    this.stopInput = listenTo(this.root, {
      pan: (right, down, byKey) => this.#pan(right, down, byKey),
      zoom: (factor, x, y) => (x === undefined ? this.zoomBy(factor) : this.#zoomAt(factor, x, y)),
      fit: () => this.fit(),
      point: (x, y) => this.#point(x, y),
      click: (x, y) => this.#choose(this.places.at(this.camera.worldX(x), this.camera.worldY(y))),
      enter: () => this.#choose(this.places.nearest(this.camera.x, this.camera.y)),
      escape: () => this.#choose(-1),
      step: (east, north) => this.#step(east, north),
    });
  }

  #resize() {
    const { clientWidth, clientHeight } = this.root;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(clientWidth * this.ratio);
    this.canvas.height = Math.round(clientHeight * this.ratio);
    this.camera.resize(clientWidth, clientHeight);
    if (this.isFitted) this.camera.look(this.camera.fitted());
    // A canvas is empty after a change of its size; waiting for the next frame would flicker.
    this.#draw(performance.now());
  }

  #pan(right, down, byKey) {
    this.isFitted = false;
    this.zooming = null;
    this.camera.look(this.camera.panned(right, down));
    if (byKey) this.#tellPlanet(this.places.nearest(this.camera.x, this.camera.y));
    this.#moved();
  }

  #zoomAt(factor, x, y) {
    this.isFitted = false;
    this.zooming = null;
    this.camera.look(this.camera.zoomed(factor, x, y));
    this.#moved();
  }

  #lookSlowly(to) {
    const { x, y, scale } = this.camera;
    if (this.isStill) this.camera.look(to);
    else this.zooming = { from: { x, y, scale }, to, start: performance.now() };
    this.#moved();
  }

  #moved() {
    this.movedAt = performance.now();
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.#redraw(), SETTLE_MILLIS + 10);
    this.#redraw();
  }

  #point(x, y) {
    const planet = x === null ? -1 : this.places.at(this.camera.worldX(x), this.camera.worldY(y));
    if (planet === this.hovered) return;
    this.hovered = planet;
    this.root.classList.toggle('is-on-planet', planet >= 0);
    this.#redraw();
  }

  #choose(planet) {
    if (planet < 0 && this.selected < 0) return;
    this.selected = planet;
    this.#tellPlanet(planet);
    this.#redraw();
    this.onSelectPlanet(planet < 0 ? null : this.places.planets[planet].id);
  }

  /** From the selected planet to the one beside it, or to the nearest one if nothing is selected. */
  #step(east, north) {
    const from = this.places.planets[this.selected];
    const next = from ? this.places.at(from.x + east, from.y + north) : this.places.nearest(this.camera.x, this.camera.y);
    if (next >= 0) this.#choose(next);
  }

  #tellWorld() {
    const words = worldInWords(this.places.planets, this.state);
    this.root.setAttribute('aria-label', `${words}. Arrow keys pan, plus and minus zoom, 0 shows all, Enter selects.`);
  }

  #tellPlanet(planet) {
    if (planet < 0) {
      this.words.textContent = '';
      return;
    }
    let robots = 0;
    this.state?.forEachPlacedRobot((_, where) => {
      robots += where === planet ? 1 : 0;
    });
    this.words.textContent = planetInWords(this.places.planets[planet], planet, this.state, robots);
  }

  #fillLegend() {
    this.legend.hidden = this.places.planets.length === 0;
    fillLegend(this.legend, this.places.planets, this.resources, this.look, this.theme);
  }

  #redraw() {
    this.frame ||= requestAnimationFrame((now) => {
      this.frame = 0;
      // The time of a frame lies before what was begun since; nothing is to run backwards.
      this.#draw(Math.max(now, performance.now()));
    });
  }

  #draw(now) {
    // Without a size there is nothing to draw on; the first size brings a drawing of its own.
    if (!this.ratio) return;
    if (this.zooming) this.#zoomOn(now);
    const { context, camera, look, places, robotPlaces, state } = this;
    // A view that is not on show has no size, and draws when it gets one.
    if (this.ratio === undefined) return;
    const isMoving = this.zooming !== null || now - this.movedAt < SETTLE_MILLIS;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.terrain.draw(context, camera, this.ratio, isMoving);
    this.deposits.draw(context, camera, look, this.theme, places.planets);
    if (state) this.robots.draw(context, camera, look, robotPlaces, state, places.planets, now, this.highlighted);
    this.effects.draw(context, camera, look, this.theme, robotPlaces, now);
    if (this.hovered >= 0 && this.hovered !== this.selected) this.#outline(this.hovered, look.hover, 1.5);
    if (this.selected >= 0) this.#outline(this.selected, look.accent, 3);
    const glides = robotPlaces.settle(now);
    if (this.effects.settle(now) || glides || this.zooming) this.#redraw();
  }

  #zoomOn(now) {
    const { from, to, start } = this.zooming;
    const part = easeOut((now - start) / ZOOM_MILLIS);
    const between = (name) => from[name] + (to[name] - from[name]) * part;
    this.camera.look(part >= 1 ? to : { x: between('x'), y: between('y'), scale: between('scale') });
    if (part < 1) return;
    this.zooming = null;
    this.#moved();
  }

  #outline(planet, colour, width) {
    const { context, camera } = this;
    const { x, y } = this.places.planets[planet];
    const size = Math.max(camera.scale * (1 - CELL_GAP * 2), 6);
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    context.roundRect(camera.screenX(x) - size / 2, camera.screenY(y) - size / 2, size, size, CELL_RADIUS * size);
    context.stroke();
  }
}
