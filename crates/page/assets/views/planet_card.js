// What is known about the chosen planet in the round on show.

import { button, el } from '../dom.js';
import { number } from '../format.js';
import { describePlanet } from '../model/planet_details.js';
import { playerSwatch, resourceOf } from '../palette.js';

const MOST_ROBOTS = 30;

export function planetCard(session, scope) {
  const { store } = session;
  const card = el('aside', { class: 'planet-card', 'aria-label': 'Planet', hidden: true });
  scope.listen(document, 'keydown', (event) => event.key === 'Escape' && store.set({ planet: null }));
  scope.add(store.watch(['planet', 'log', 'viewed'], () => {
    const log = store.get('log');
    const planet = log && store.get('planet') && describePlanet(log, log.stateAt(store.get('viewed') ?? log.lastRound), store.get('planet'));
    card.hidden = !planet;
    const text = JSON.stringify(planet);
    // The same again is not drawn, or a button would lose the focus.
    if (!planet || card.dataset.shown === text) return;
    card.dataset.shown = text;
    card.replaceChildren(
      el('div', { class: 'card-head' }, el('h2', {}, planet.title),
        button('', { icon: 'close', label: 'Close', class: 'quiet', onclick: () => store.set({ planet: null }) })),
      facts(planet), robotsOf(planet, session));
  }));
  return card;
}

function facts({ ring, difficulty, deposit, neighbours }) {
  const row = (name, value) => [el('dt', {}, name), el('dd', {}, value)];
  return el('dl', { class: 'facts' },
    ring && row('Ring', ring),
    row('Energy to enter', number(difficulty)),
    row('Deposit', deposit ? `${resourceOf(deposit.kind)?.label ?? deposit.kind}, ${number(deposit.amount)} of ${number(deposit.max)}` : 'none'),
    row('Ways', neighbours.map((one) => one.direction).join(', ') || 'none'));
}

function robotsOf({ robots }) {
  if (robots.length === 0) return el('p', { class: 'panel-note' }, 'No robot is here.');
  const more = robots.length - MOST_ROBOTS;
  return el('div', {}, el('h3', {}, `Robots (${robots.length})`), el('ul', { class: 'planet-robots' },
    robots.slice(0, MOST_ROBOTS).map((robot) => el('li', {},
      el('span', { class: 'player' }, el('span', { class: 'swatch', style: { '--swatch': playerSwatch(robot.playerIndex) } }), el('span', { class: 'name' }, robot.playerName)),
      el('span', { class: 'stats' }, `${number(robot.health)} health · ${number(robot.energy)} energy`)))),
    more > 0 && el('p', { class: 'panel-note' }, `and ${number(more)} more`));
}
