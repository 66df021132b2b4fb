// Does what a host asked for: shows the server's text where it is refused,
// and asks for the admin token where that is what is missing.

import { host } from './api.js';
import { adminToken, setAdminToken } from './token.js';
import { askForToken } from './views/token_dialog.js';
import { toast } from './views/toast.js';

const MISSING = 'This server asks its host for the admin token.';
const IMPOSSIBLE = 'The token has characters that no token has: only letters, digits and signs of a plain English keyboard, without blanks.';

/** Asks until the token is right or the user gives up. @returns {Promise<boolean>} */
export async function unlock(reason = MISSING) {
  let problem = reason;
  for (let attempt = 0; ; attempt++) {
    const token = await askForToken(problem, attempt > 0);
    if (!token) return false;
    // A browser cannot even send it, and would blame the connection.
    if (/[^\x21-\x7e]/.test(token)) {
      problem = IMPOSSIBLE;
      continue;
    }
    try {
      await host.probe(token);
      setAdminToken(token);
      return true;
    } catch (fault) {
      problem = fault.message;
    }
  }
}

/** Whether this server was started with an admin token. */
export async function hasAdminToken() {
  try {
    await host.probe(null);
    return false;
  } catch (fault) {
    return fault.status === 401;
  }
}

/**
 * Runs a call of `host`. @returns {Promise<any|undefined>} its answer; nothing where it was refused or given up
 * @param {() => Promise<any>} call
 * @param {(text: string) => void} [onRefusal] where the text is shown; else it appears for some seconds
 */
export async function act(call, onRefusal = (text) => toast(text, 'bad')) {
  for (;;) {
    try {
      return (await call()) ?? true;
    } catch (fault) {
      if (fault.status !== 401) {
        onRefusal(fault.message);
        return undefined;
      }
      if (!(await unlock(adminToken() ? fault.message : MISSING))) return undefined;
    }
  }
}
