// The admin token: kept for this tab only, and gone with it.
// sessionStorage survives a reload, which a host in front of a class needs, and nothing more.

const KEY = 'starkeep-admin-token';
const listeners = new Set();

export function adminToken() {
  return sessionStorage.getItem(KEY);
}

export function setAdminToken(token) {
  if (token) sessionStorage.setItem(KEY, token);
  else sessionStorage.removeItem(KEY);
  for (const listener of listeners) listener();
}

/** Runs `listener` when the token was given or forgotten. Returns how to stop. */
export function onTokenChange(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The headers that show the token, where there is one. */
export function authorization(token = adminToken()) {
  return token ? { authorization: `Bearer ${token}` } : {};
}
