// Turns pointers, wheel and keys into what the view can do: pan, zoom, point at, select.
// Knows nothing of planets; positions are CSS pixels from the view's upper left corner.

/** A press that moves less than this is a click. */
const CLICK_DISTANCE = 4;
const KEY_STEP = 64;
const KEY_ZOOM = 1.35;
const ARROWS = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/**
 * @param {HTMLElement} surface
 * @param {{pan: Function, zoom: Function, fit: Function, point: Function, click: Function, enter: Function,
 *   escape: Function, step: Function}} act
 * @returns {() => void} takes it all back
 */
export function listenTo(surface, act) {
  const stop = new AbortController();
  const options = { signal: stop.signal };
  const on = (name, listener, more) => surface.addEventListener(name, listener, { ...options, ...more });
  listenToPointers(surface, on, act);
  on('wheel', (event) => {
    event.preventDefault();
    const { x, y } = placeIn(surface, event);
    // Lines and pages are larger units than pixels; a pinch on a touchpad comes with the control key and small steps.
    const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1);
    act.zoom(Math.exp(-Math.max(-240, Math.min(240, pixels)) * (event.ctrlKey ? 0.01 : 0.0018)), x, y);
  }, { passive: false });
  on('keydown', (event) => {
    if (event.target === surface && !event.ctrlKey && !event.metaKey && !event.altKey && handleKey(event, act)) {
      event.preventDefault();
    }
  });
  return () => stop.abort();
}

/** @returns {boolean} whether the key means something here */
function handleKey({ key, shiftKey }, act) {
  const arrow = ARROWS[key];
  if (arrow && shiftKey) act.step(-arrow[0], arrow[1]);
  else if (arrow) act.pan(arrow[0] * KEY_STEP, arrow[1] * KEY_STEP, true);
  else if (key === '+' || key === '=') act.zoom(KEY_ZOOM);
  else if (key === '-' || key === '_') act.zoom(1 / KEY_ZOOM);
  else if (key === '0') act.fit();
  else if (key === 'Enter' || key === ' ') act.enter();
  else if (key === 'Escape') act.escape();
  else return false;
  return true;
}

function listenToPointers(surface, on, act) {
  /** @type {Map<number, {x: number, y: number}>} pointers that are down */
  const pressed = new Map();
  let travelled = 0;

  on('pointerdown', (event) => {
    if (event.button !== 0 || event.target.closest('button, summary, details')) return;
    surface.setPointerCapture(event.pointerId);
    pressed.set(event.pointerId, placeIn(surface, event));
    if (pressed.size === 1) travelled = 0;
  });

  on('pointermove', (event) => {
    const place = placeIn(surface, event);
    const before = pressed.get(event.pointerId);
    if (!before) {
      act.point(place.x, place.y);
      return;
    }
    const other = [...pressed].find(([id]) => id !== event.pointerId)?.[1];
    pressed.set(event.pointerId, place);
    travelled += Math.hypot(place.x - before.x, place.y - before.y);
    if (other) pinch(act, before, place, other);
    else if (travelled >= CLICK_DISTANCE) act.pan(place.x - before.x, place.y - before.y, false);
  });

  const release = (event) => {
    const place = pressed.get(event.pointerId);
    if (!pressed.delete(event.pointerId)) return;
    if (event.type === 'pointerup' && pressed.size === 0 && travelled < CLICK_DISTANCE) act.click(place.x, place.y);
    // The rest of a pinch is no click.
    if (pressed.size > 0) travelled = CLICK_DISTANCE;
  };
  on('pointerup', release);
  on('pointercancel', release);
  on('pointerleave', () => act.point(null, null));
}

/** Two fingers zoom around the one that rests, and pan by half of what the other moves. */
function pinch(act, before, now, resting) {
  const distance = (place) => Math.max(8, Math.hypot(place.x - resting.x, place.y - resting.y));
  act.pan((now.x - before.x) / 2, (now.y - before.y) / 2, false);
  act.zoom(distance(now) / distance(before), (now.x + resting.x) / 2, (now.y + resting.y) / 2);
}

function placeIn(surface, { clientX, clientY }) {
  const { left, top } = surface.getBoundingClientRect();
  return { x: clientX - left, y: clientY - top };
}
