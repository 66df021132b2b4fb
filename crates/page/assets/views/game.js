// The screen of one game: the world in the middle, the panels beside it, the timeline below.
// The same for a running game and for a replay file, which has no host and no clock.

import { el } from '../dom.js';
import { nameOf } from '../format.js';
import { toGames } from '../router.js';
import { showBanners } from './banners.js';
import { eventsPanel } from './events.js';
import { hostPanel } from './host.js';
import { playersPanel } from './players.js';
import { plotsPanel } from './plots.js';
import { scoreboardPanel } from './scoreboard.js';
import { stage } from './stage.js';
import { tabs } from './tabs.js';
import { timeline } from './timeline.js';
import { fillTopBar } from './top_bar.js';

const PANELS = [['Scoreboard', scoreboardPanel], ['Players', playersPanel], ['Plots', plotsPanel], ['Events', eventsPanel], ['Host', hostPanel]];
const OF_A_FILE = ['Scoreboard', 'Plots', 'Events'];

export function showGame({ top, main, banners, scope }, session) {
  const { store } = session;
  scope.add(() => session.close());
  fillTopBar(top, session, scope);
  showBanners(banners, session, scope);
  const panels = PANELS.filter(([title]) => !session.isFile || OF_A_FILE.includes(title));
  const game = el('div', { class: 'game', hidden: true },
    stage(session, scope), timeline(session, scope),
    el('aside', { class: 'side', 'aria-label': 'About this game' }, tabs(panels, session, scope)));
  const failure = el('div', { class: 'page' });
  main.append(game, failure);
  scope.add(store.watch(['game', 'error', 'loading', 'gone'], () => {
    const error = store.get('gone') ? new Error('This game was deleted.') : store.get('error');
    const known = store.get('game');
    document.title = known ? `${nameOf(known)} · Starkeep` : 'Starkeep';
    game.hidden = !known || store.get('gone');
    failure.hidden = !game.hidden;
    failure.replaceChildren(error ? notThere(error, session.isFile) : el('p', { class: 'panel-note' }, 'Loading …'));
  }));
}

/** @param {Error & { status?: number }} error */
export function notThere(error, isFile = false) {
  const isUnknown = error.status === 404 || error.status === 400;
  return el('div', { class: 'games' }, el('div', { class: 'empty', role: 'alert' },
    el('h2', {}, isUnknown ? 'There is no such game' : `This ${isFile ? 'file' : 'game'} cannot be shown`),
    el('p', {}, error.message),
    el('a', { class: 'button primary', href: `/${toGames}` }, 'All games')));
}
