// A replay file may be dropped anywhere on the page, or chosen with a button.

import { button, el } from '../dom.js';

export function acceptReplayFiles(open) {
  const hint = document.getElementById('drop-hint');
  const hasFile = (event) => [...(event.dataTransfer?.types ?? [])].includes('Files');
  addEventListener('dragover', (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    hint.hidden = false;
  });
  addEventListener('dragleave', (event) => {
    // Leaving one element for another is no leaving of the page.
    if (event.relatedTarget === null) hint.hidden = true;
  });
  addEventListener('drop', (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    hint.hidden = true;
    const [file] = event.dataTransfer.files;
    if (file) open(file);
  });
}

/** A button that opens the system's file dialog. */
export function openReplayButton(open, props = { icon: 'file' }) {
  const input = el('input', { type: 'file', accept: '.ndjson,.jsonl,application/x-ndjson', hidden: true, 'aria-label': 'Replay file' });
  input.addEventListener('change', () => input.files[0] && open(input.files[0]));
  return el('span', {}, input, button('Open a replay', { ...props, onclick: () => input.click() }));
}
