// The fairness certificate: how even the starts of this world were when it was made, and what was promised about its seed.

import { read } from '../api.js';
import { button, el } from '../dom.js';
import { dialog } from './dialog.js';
import { toast } from './toast.js';

export async function showFairness(session) {
  const { map } = session.store.get('services');
  let certificate;
  try {
    certificate = await read.fairness(map, session.store.get('game').gameworldId);
  } catch (fault) {
    toast(fault.message, 'bad');
    return;
  }
  const { ratio, ratio_before: before, stations, seed_commitment: commitment, style } = certificate;
  const most = Math.max(...stations.map((one) => one.value));
  const bars = [...stations].sort((a, b) => b.value - a.value).map(({ planet_id, value }) => el('li', { class: 'bar' },
    el('span', {}, session.planetName(planet_id)),
    el('span', { class: 'track' }, el('span', { class: 'fill', style: { display: 'block', width: `${(100 * value) / most}%` } })),
    el('span', { class: 'number' }, value.toFixed(2))));
  await dialog('Fairness of this world', (close) => [
    el('p', {}, `The best start is worth ${ratio.toFixed(2)} times the worst${before > ratio ? `; before it was balanced, ${before.toFixed(2)} times` : ''}. 1.00 is perfectly even.`),
    el('ul', { class: 'bars' }, bars),
    el('dl', { class: 'facts' }, el('dt', {}, 'Style'), el('dd', {}, style), el('dt', {}, 'Seed commitment'), el('dd', {}, el('code', {}, commitment ?? 'none'))),
    el('p', { class: 'note' }, 'What this means: every deposit near a start counts with its weight, divided by one more than its distance; their sum is the start’s value. The weights are coal 1, iron 2, gem 4, gold 8, platin 16, and a distance is the least sum of the difficulties of the planets entered. The commitment was published before the start; after the end the seed and the nonce show that the world was not exchanged.'),
    el('div', { class: 'actions end' }, button('Close', { onclick: () => close() })),
  ]);
}
