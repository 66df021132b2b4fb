// Light or dark: what the system says, unless the user has chosen here.
// The choice is no secret, so it outlives the tab.

import { currentTheme } from './palette.js';

const KEY = 'starkeep-theme';
const listeners = new Set();

function announce() {
  for (const listener of listeners) listener();
}

export function restoreTheme() {
  const chosen = localStorage.getItem(KEY);
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', announce);
}

export function toggleTheme() {
  const next = currentTheme() === 'dark' ? 'light' : 'dark';
  document.documentElement.dataset.theme = next;
  localStorage.setItem(KEY, next);
  announce();
}

/** Runs `listener` after a change. Returns how to stop. */
export function onThemeChange(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
