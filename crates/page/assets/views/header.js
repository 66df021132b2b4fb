// The parts of the header that every screen has: the way home, and what is true for the whole page.

import { button, el, icon } from '../dom.js';
import { unlock } from '../host_action.js';
import { toGames } from '../router.js';
import { toggleTheme } from '../theme.js';
import { adminToken, onTokenChange, setAdminToken } from '../token.js';
import { toast } from './toast.js';

export function brand() {
  return el('a', { class: 'brand', href: toGames, 'aria-label': 'Starkeep: all games' },
    el('img', { src: '/page/icon.svg', alt: '' }), el('span', {}, 'Starkeep'));
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
