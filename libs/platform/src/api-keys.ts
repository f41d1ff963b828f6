/**
 * The tenant of keys that name no tenant, and of all callers if there are no keys. It also has access to the pages of
 * the operator.
 */
export const DEFAULT_TENANT = 'default';

/** A key, and the tenant whose data it gives access to. */
export interface ApiKey {
  tenant: string;
  key: string;
}

const MIN_LENGTH = 16;
/** The characters that a header carries unchanged. A comma would split the key. */
const KEY = /^[\x21-\x2b\x2d-\x7e]+$/;
const TENANT = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** Whether a text can be the name of a tenant. The tenant may have no keys and no data. */
export function isTenantName(text: string): boolean {
  return TENANT.test(text);
}

/**
 * Reads keys that are separated by blanks, each `key` or `tenant:key`. A tenant may have several keys, for rotation. A
 * key has one tenant.
 * @throws Error with the position of the wrong key, never its text
 */
export function parseApiKeys(text: string): ApiKey[] {
  const parts = text.split(/\s+/).filter((part) => part !== '');
  if (parts.length === 0) throw new Error('must hold a key');
  const keys = parts.map(parseApiKey);
  const tenants = new Map<string, string>();
  for (const [n, { tenant, key }] of keys.entries()) {
    if ((tenants.get(key) ?? tenant) !== tenant) throw new Error(`${nth(n)} already belongs to another tenant`);
    tenants.set(key, tenant);
  }
  return keys;
}

function parseApiKey(text: string, n: number): ApiKey {
  const colon = text.indexOf(':');
  const [tenant, key] = colon === -1 ? [DEFAULT_TENANT, text] : [text.slice(0, colon), text.slice(colon + 1)];
  if (!isTenantName(tenant))
    throw new Error(
      `${nth(n)} needs the name of a tenant before its colon: at most 63 characters of a-z, 0-9, _ and -`,
    );
  if (key.length < MIN_LENGTH) throw new Error(`${nth(n)} is shorter than ${MIN_LENGTH} characters`);
  if (!KEY.test(key))
    throw new Error(
      `${nth(n)} has an invalid character: a key is visible ASCII without commas, and blanks separate keys`,
    );
  return { tenant, key };
}

function nth(n: number): string {
  return `key ${n + 1}`;
}
