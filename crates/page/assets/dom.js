// Makes elements. Text is always set as text, never parsed as markup:
// names of players are whatever somebody registered.

const SVG = 'http://www.w3.org/2000/svg';
/** What is a property of an element rather than an attribute. */
const PROPERTIES = new Set(['value', 'checked', 'disabled', 'hidden', 'open', 'selected', 'indeterminate']);

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null) continue;
    if (name === 'class') node.setAttribute('class', value);
    else if (name === 'style') for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
    else if (typeof value === 'function') node.addEventListener(name.slice(2), value);
    else if (PROPERTIES.has(name)) node[name] = value;
    else if (value !== false) node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/**
 * @param {string} tag
 * @param {Record<string, any>} [props] attributes, `class`, `style` as an object, listeners as `onclick`
 */
export function el(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

export function svg(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

/** Icons of one line width, from the same 16 × 16 grid. */
const ICONS = {
  play: 'M5 3.5v9l7-4.5z', pause: 'M5 3.5v9M11 3.5v9', step: 'M4 3.5v9l6-4.5zM12 3.5v9', stop: 'M4.5 4.5h7v7h-7z',
  plus: 'M8 3.5v9M3.5 8h9', minus: 'M3.5 8h9', fit: 'M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3', close: 'M4 4l8 8M12 4l-8 8',
  back: 'M10 3.5L5.5 8l4.5 4.5', next: 'M6 3.5L10.5 8 6 12.5', lock: 'M4.5 7.5h7v5.5h-7zM6 7.5V5.5a2 2 0 014 0v2',
  file: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3', theme: 'M8 2.5a5.5 5.5 0 100 11zM8 2.5a5.5 5.5 0 010 11', copy: 'M6 6h7v7H6zM3 10V3h7',
  down: 'M8 3v7M5 7.5L8 10.5l3-3M3.5 13h9', scale: 'M8 3v10M4 13h8M3 5h10M3 5L1.5 9h3zM13 5l-1.5 4h3z', screen: 'M2.5 3.5h11v7h-11zM6 13h4',
};

export function icon(name) {
  return svg('svg', { class: 'icon', viewBox: '0 0 16 16', 'aria-hidden': 'true' }, svg('path', { d: ICONS[name] }));
}

/** A button with an icon and, where `label` is not shown, a name for screen readers. */
export function button(text, { icon: name, label, ...props } = {}) {
  const small = text ? '' : ' icon-only';
  const kind = props.class ?? '';
  return el('button', { type: 'button', ...props, 'aria-label': label, title: props.title ?? label, class: `button${small} ${kind}` },
    name && icon(name), text && el('span', {}, text));
}

/** Sets whether a button works, with the reason in its title where it does not. */
export function enable(control, reason) {
  control.disabled = Boolean(reason);
  if (reason) control.title = reason;
  else if (control.getAttribute('aria-label')) control.title = control.getAttribute('aria-label');
  else control.removeAttribute('title');
}

/** Collects what has to be undone when a view goes away. */
export class Scope {
  #undo = [];

  add(undo) {
    this.#undo.push(undo);
    return undo;
  }

  listen(target, name, listener, options) {
    target.addEventListener(name, listener, options);
    this.add(() => target.removeEventListener(name, listener, options));
  }

  every(millis, run) {
    const timer = setInterval(run, millis);
    this.add(() => clearInterval(timer));
  }

  /** With every frame that is drawn; a hidden tab draws none. */
  everyFrame(run) {
    const draw = () => {
      run();
      frame = requestAnimationFrame(draw);
    };
    let frame = 0;
    draw();
    this.add(() => cancelAnimationFrame(frame));
  }

  end() {
    for (const undo of this.#undo.splice(0).reverse()) undo();
  }
}
