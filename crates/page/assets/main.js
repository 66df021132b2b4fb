// Starts the page: theme, drop of replay files, and the screen that the address names.
// A screen is a function that fills the header and the main part, and is ended by its scope.

import { Scope } from './dom.js';
import { startRouter, toReplay } from './router.js';
import { FileSession, LiveSession } from './session.js';
import { restoreTheme } from './theme.js';
import { acceptReplayFiles } from './views/drop.js';
import { showGame } from './views/game.js';
import { showGames } from './views/games.js';
import { showProjector } from './views/projector.js';
import { showReplayPicker } from './views/replay_picker.js';

const places = {
  top: document.getElementById('top'),
  main: document.getElementById('main'),
  banners: document.getElementById('banners'),
};

let scope = new Scope();
let file = null;
let session = null;

/** The game on show; for the tests, which feed it with events. */
export const current = () => session;

function openFile(chosen) {
  file = chosen;
  if (location.hash === toReplay) show({ screen: 'replay' });
  else location.hash = toReplay;
}

function show({ screen, id }) {
  scope.end();
  scope = new Scope();
  for (const place of Object.values(places)) place.replaceChildren();
  document.documentElement.classList.toggle('projector', screen === 'projector');
  const context = { ...places, scope, openFile };
  session = screen === 'game' ? new LiveSession(id) : screen === 'replay' && file ? new FileSession(file) : null;
  if (session) showGame(context, session);
  else if (screen === 'replay') showReplayPicker(context);
  else if (screen === 'projector') showProjector(context, id);
  else showGames(context);
}

restoreTheme();
acceptReplayFiles(openFile);
startRouter(show);
