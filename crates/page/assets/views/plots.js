// Plots over the rounds: money and robots a player, deposits a kind, what was mined and fought.

import { el } from '../dom.js';
import { RESOURCES, playerSwatch } from '../palette.js';
import { Plot } from '../plot.js';
import { throttled } from '../store.js';

const REDRAW = 500;
const OF_PLAYERS = [['Money', 'money'], ['Robots', 'robotsAlive'], ['Units mined', 'mined']];

export function plotsPanel(session, scope) {
  const { store } = session;
  const plots = new Map();
  const place = el('div', { class: 'panel' });
  const empty = el('p', { class: 'panel-note' }, 'The plots begin when the first round was scored.');
  place.append(empty);
  const plot = (title) => {
    if (!plots.has(title)) {
      plots.set(title, new Plot(title, (round) => store.set({ viewed: store.get('log') ? round : null })));
      place.append(plots.get(title).node);
    }
    return plots.get(title);
  };
  const draw = () => {
    const scores = store.get('scores');
    const ids = session.playerIds;
    const viewed = store.get('viewed');
    const { rounds } = scores;
    empty.hidden = rounds.length > 0;
    if (rounds.length === 0) return;
    for (const [title, field] of OF_PLAYERS) {
      const values = scores.series(field, ids);
      const lines = ids.map((id, index) => ({ name: session.nameOf(id), colour: playerSwatch(session.indexOf(id)), values: values[index] }));
      plot(title).show(rounds, lines.filter((line) => line.values.some((value) => value !== null)), viewed);
    }
    const log = store.get('log');
    if (!log) return;
    const series = log.series();
    const kinds = RESOURCES.map(({ kind, label, swatch }) => ({ name: label, colour: swatch, values: series.deposits[kind] }));
    plot('Deposits left').show(series.rounds, kinds, viewed);
    const happened = [['Minings', 'minings', 0], ['Fights', 'fights', 1], ['Robots lost', 'deaths', 6]];
    plot('In each round').show(series.rounds, happened.map(([name, key, colour]) => ({ name, colour: playerSwatch(colour), values: series[key] })), viewed);
  };
  const drawSoon = throttled(REDRAW, draw);
  scope.add(store.watch(['scores', 'viewed', 'log'], drawSoon));
  draw();
  return place;
}
