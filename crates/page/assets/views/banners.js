// What everybody has to know at once: a connection that is lost or back, and parts of the server in trouble.
// A lost connection is told once, however often it is tried again.

import { el } from '../dom.js';

const BACK_SHOWN = 3000;
const NAMES = { map: 'Map service', robot: 'Robot service', trading: 'Trading service', kafka: 'Kafka', storage: 'Storage', clock: 'Clock', games: 'Games' };

const LONGEST = 160;

/** What fits into a line. A problem that another service answered has a sentence for people; the Host tab shows the whole text. */
function shortly(detail) {
  const [before, body] = detail.split(/[:,]?\s*(?=\{)/, 2);
  const text = body?.match(/\\?"detail\\?":\s*\\?"([^"\\]+)/)?.[1] ?? before;
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** What is lost: all, or a service of which the server itself does not say that it is in trouble. */
function lostOf(store) {
  const streams = Object.entries(store.get('streams')).filter(([, one]) => !one.live);
  const parts = store.get('health')?.parts ?? {};
  if (store.get('error')?.isTemporary || streams.some(([service]) => service === 'game')) return 'Connection lost; trying again';
  const silent = streams.filter(([service]) => (parts[service]?.status ?? 'ok') === 'ok');
  const names = silent.map(([service]) => service).join(' and ');
  return silent.length > 0 ? `No connection to the ${names} service${silent.length > 1 ? 's' : ''}; trying again` : null;
}

export function showBanners(place, session, scope) {
  const { store } = session;
  let wasLost = false;
  let backUntil = 0;
  let shown = '';
  const show = () => {
    const now = performance.now();
    const lost = lostOf(store);
    if (wasLost && !lost) backUntil = now + BACK_SHOWN;
    wasLost = Boolean(lost);
    const lines = [];
    if (lost) lines.push(['', '', lost]);
    else if (now < backUntil) lines.push(['good', '', 'Connected again']);
    for (const [name, { status, detail }] of Object.entries(store.get('health')?.parts ?? {})) {
      if (status !== 'ok') lines.push([status === 'failing' ? 'bad' : '', NAMES[name] ?? name, shortly(detail)]);
    }
    const text = JSON.stringify(lines);
    if (text === shown) return;
    shown = text;
    place.replaceChildren(...lines.map(([look, name, line]) => el('div', { class: `banner ${look}` },
      name && el('strong', {}, `${name} `), line)));
  };
  scope.add(store.watch(['streams', 'health', 'error'], show));
  scope.every(500, show);
}
