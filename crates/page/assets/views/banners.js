// What everybody has to know at once: a connection that is lost or back, and parts of the server in trouble.

import { el } from '../dom.js';

const BACK_SHOWN = 3000;

export function showBanners(place, session, scope) {
  const { store } = session;
  let wasLost = false;
  let backUntil = 0;
  let shown = '';
  const show = () => {
    const now = performance.now();
    const lost = Object.values(store.get('streams')).filter((one) => !one.live);
    const noAnswer = store.get('error')?.status === 0;
    if (wasLost && lost.length === 0 && !noAnswer) backUntil = now + BACK_SHOWN;
    wasLost = lost.length > 0 || noAnswer;
    const lines = [];
    if (lost.length > 0) {
      const seconds = Math.ceil((Math.min(...lost.map((one) => one.retryAt)) - now) / 1000);
      lines.push(['', seconds > 0 ? `Connection lost; trying again in ${seconds} s` : 'Connection lost; trying again']);
    } else if (noAnswer) lines.push(['', 'Connection lost; trying again']);
    else if (now < backUntil) lines.push(['good', 'Connected again']);
    for (const [name, { status, detail }] of Object.entries(store.get('health')?.parts ?? {})) {
      if (status !== 'ok') lines.push([status === 'failing' ? 'bad' : '', `${name}: ${detail}`]);
    }
    const text = JSON.stringify(lines);
    if (text === shown) return;
    shown = text;
    place.replaceChildren(...lines.map(([look, line]) => el('div', { class: `banner ${look}` }, line)));
  };
  scope.add(store.watch(['streams', 'health', 'error'], show));
  scope.every(500, show);
}
