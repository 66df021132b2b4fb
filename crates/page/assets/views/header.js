// The parts of the header that every screen has: the way home, and what is true for the whole page.

import { button, el, icon, svg } from '../dom.js';
import { unlock } from '../host_action.js';
import { toGames } from '../router.js';
import { toggleTheme } from '../theme.js';
import { adminToken, onTokenChange, setAdminToken } from '../token.js';
import { toast } from './toast.js';

export function brand() {
  return el('a', { class: 'brand', href: toGames, 'aria-label': 'Starkeep: all games' },
    mark(), el('span', {}, 'Starkeep'));
}

/** The same as icon.svg, drawn here: a screen that is opened while the server is away asks for no file. */
function mark() {
  return svg('svg', { viewBox: '0 0 32 32', 'aria-hidden': 'true' },
    svg('rect', { class: 'ground', width: 32, height: 32, rx: 8 }), svg('circle', { cx: 16, cy: 16, r: 6 }),
    svg('ellipse', { cx: 16, cy: 16, rx: 12, ry: 4, transform: 'rotate(-24 16 16)' }));
}

/** @param {import('../dom.js').Scope} scope */
export function pageTools(scope, ...first) {
  const token = button('', { icon: 'lock', label: 'Enter the admin token', class: 'quiet', onclick: giveOrForget });
  const showToken = () => {
    const label = adminToken() ? 'Forget the admin token' : 'Enter the admin token';
    token.setAttribute('aria-label', label);
    token.title = label;
    token.setAttribute('aria-pressed', String(Boolean(adminToken())));
  };
  scope.add(onTokenChange(showToken));
  showToken();
  return el('nav', { class: 'top-right', 'aria-label': 'Page' }, ...first,
    el('a', { class: 'button icon-only quiet for-hall', href: '/?projector', title: 'Projector', 'aria-label': 'Projector' }, icon('screen')),
    token,
    button('', { icon: 'theme', label: 'Light or dark', class: 'quiet', onclick: toggleTheme }));
}

async function giveOrForget() {
  if (adminToken()) {
    setAdminToken(null);
    toast('The admin token is forgotten.');
  } else if (await unlock('Whoever hosts games here has it, if the server was started with one.')) {
    toast('The admin token is right.');
  }
}
