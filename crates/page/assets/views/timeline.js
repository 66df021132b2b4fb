// The timeline: any past round can be looked at, and played from there on.
// While a past round is on show the game goes on; Live leads back to it.

import { button, el } from '../dom.js';
import { number } from '../format.js';

const PLAYED_ROUND = 800;

export function timeline(session, scope) {
  const { store } = session;
  const slider = el('input', { type: 'range', min: 0, step: 1, 'aria-label': 'Round on show' });
  const label = el('output', {});
  const back = button('', { icon: 'back', label: 'One round back', class: 'quiet', onclick: () => look(session.round - 1) });
  const next = button('', { icon: 'next', label: 'One round on', class: 'quiet', onclick: () => look(session.round + 1) });
  const play = button('', { icon: 'play', label: 'Play from here', class: 'quiet', onclick: () => setPlaying(!playing) });
  const live = button('Live', { onclick: () => look(Infinity) });
  let playing = null;

  function look(round) {
    const last = session.lastRound;
    const isNewest = round >= last;
    if (isNewest) setPlaying(false);
    store.set({ viewed: isNewest && !session.isFile ? null : Math.min(last, Math.max(0, round)) });
  }
  function setPlaying(on) {
    clearInterval(playing);
    playing = null;
    if (on) {
      if (session.isFile && session.round >= session.lastRound) look(0);
      playing = setInterval(() => look(session.round + 1), PLAYED_ROUND);
    }
    play.setAttribute('aria-pressed', String(Boolean(on)));
  }
  scope.add(() => setPlaying(false));
  slider.addEventListener('input', () => look(Number(slider.value)));

  function whyNone() {
    if (store.get('loading')) return 'Loading …';
    return session.lastRound > 0 && store.get('locked') ? 'Past rounds need the admin token until the game has ended' : 'No rounds yet';
  }

  const bar = el('div', { class: 'timeline', role: 'group', 'aria-label': 'Timeline' }, back, play, next, slider, label, !session.isFile && live);
  scope.add(store.watch(['log', 'viewed', 'game', 'locked', 'loading'], () => {
    const last = session.lastRound;
    const { round } = session;
    const none = !store.get('log') || last === 0;
    slider.max = Math.max(last, 1);
    slider.value = round;
    slider.setAttribute('aria-valuetext', `Round ${round}`);
    slider.disabled = none;
    back.disabled = none || round <= 0;
    next.disabled = none || round >= last;
    play.disabled = none || (session.isLive && !session.isFile);
    label.textContent = none ? whyNone() : `Round ${number(round)} of ${number(last)}`;
    live.setAttribute('aria-pressed', String(session.isLive));
    live.disabled = none;
  }));
  return bar;
}
