/** Whose data a caller sees who has a key that names no tenant, or needs none. To this one the operator's pages are open, too. */
export const DEFAULT_TENANT = 'default';

/** A key, and whose data it opens. */
export interface ApiKey {
  tenant: string;
  key: string;
}

const MIN_LENGTH = 16;
/** What a header carries as it is. A comma would make one key of several. */
const KEY = /^[\x21-\x2b\x2d-\x7e]+$/;
const TENANT = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/**
 * Keys separated by blanks, each `key` or `tenant:key`. A tenant may have several, for rotation; a key has one tenant.
 * @throws Error that says which one is wrong by its place, and never what it is
 */
export function parseApiKeys(text: string): ApiKey[] {
  const parts = text.split(/\s+/).filter((part) => part !== '');
  if (parts.length === 0) throw new Error('must hold a key');
  const keys = parts.map(parseApiKey);
  const tenants = new Map<string, string>();
  for (const [n, { tenant, key }] of keys.entries()) {
    if ((tenants.get(key) ?? tenant) !== tenant) throw new Error(`${nth(n)} stands for another tenant already`);
    tenants.set(key, tenant);
  }
  return keys;
}

function parseApiKey(text: string, n: number): ApiKey {
  const colon = text.indexOf(':');
  const [tenant, key] = colon === -1 ? [DEFAULT_TENANT, text] : [text.slice(0, colon), text.slice(colon + 1)];
  if (!TENANT.test(tenant))
    throw new Error(`${nth(n)} has no tenant's name before its colon: up to 63 of a-z, 0-9, _ and -`);
  if (key.length < MIN_LENGTH) throw new Error(`${nth(n)} is shorter than ${MIN_LENGTH} characters`);
  if (!KEY.test(key))
    throw new Error(`${nth(n)} has a character that no key has: visible ASCII without commas, and blanks between keys`);
  return { tenant, key };
}

function nth(n: number): string {
  return `key ${n + 1}`;
}
