import { createHash, timingSafeEqual } from 'node:crypto';
import { DEFAULT_TENANT, type ApiKey } from './api-keys.js';
import { isLoopbackAddress } from './http/called-host.js';

/** The keys and the listen address of a server. */
export interface Access {
  /** The name of the setting of the address, for the error message. */
  setting: 'ERRAND_HOST' | 'ERRAND_HEALTH_HOST';
  host: string;
  keys: readonly ApiKey[];
  allowNoAuth: boolean;
}

/** The configuration would let other machines use the server without a key. */
export class UnsafeBindingError extends Error {
  readonly hint = true;
  constructor({ setting, host }: Access) {
    super(
      `${setting}=${host} can be reached from other machines, and ERRAND_API_KEYS is empty.\n` +
        'Set ERRAND_API_KEYS, or listen on 127.0.0.1. If something else keeps strangers out, set ERRAND_ALLOW_NO_AUTH=true.',
    );
  }
}

/** @throws UnsafeBindingError if no key is set and other machines can reach the address */
export function requireSafeBinding(access: Access): void {
  const isLocal = access.host === 'localhost' || isLoopbackAddress(access.host);
  if (access.keys.length === 0 && !access.allowNoAuth && !isLocal) throw new UnsafeBindingError(access);
}

/** The credentials that a request presents. */
export interface Credentials {
  authorization: string | undefined;
  /** Whether the key may also be the password of `Basic`. A browser can send nothing else by itself. */
  byPassword?: boolean;
}

/** The tenant of the caller, and its key if it presented one; `refused` if the key is missing or wrong. */
export type AccessDecision = { tenant: string; key?: ApiKey } | { refused: true };

/**
 * Returns a function that decides about access. With keys: `Authorization: Bearer <key>`, optionally with the tenant in
 * front of the key, compared in constant time. Without keys, each caller is the default tenant. The server then listens
 * only on loopback, or the operator guarantees for the network (`requireSafeBinding`), and `originCheck` keeps web
 * pages out.
 */
export function createAccessCheck(keys: readonly ApiKey[]): (caller: Credentials) => AccessDecision {
  const known = keys.flatMap((key) =>
    [key.key, `${key.tenant}:${key.key}`].map((text) => ({ key, digest: sha256(text) })),
  );
  return ({ authorization = '', byPassword = false }) => {
    if (known.length === 0) return { tenant: DEFAULT_TENANT };
    const key = bearerOf(authorization) ?? (byPassword ? passwordOf(authorization) : undefined);
    const given = key === undefined ? undefined : sha256(key);
    const found = given && known.find(({ digest }) => timingSafeEqual(digest, given));
    return found ? { tenant: found.key.tenant, key: found.key } : { refused: true };
  };
}

/**
 * Whether the caller is the operator. The key of another tenant gives no access to metrics and pages about all tenants.
 */
export function isOperator(decision: AccessDecision): boolean {
  return 'tenant' in decision && decision.tenant === DEFAULT_TENANT;
}

const bearerOf = (authorization: string) => /^Bearer +(\S+)$/i.exec(authorization)?.[1];

function passwordOf(authorization: string): string | undefined {
  const [, encoded] = /^Basic +([\w+/=-]+)$/i.exec(authorization) ?? [];
  return encoded && /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, 'base64').toString())?.[1];
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
