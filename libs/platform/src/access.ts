import { createHash, timingSafeEqual } from 'node:crypto';
import { DEFAULT_TENANT, type ApiKey } from './api-keys.js';
import { isLoopbackAddress } from './http/called-host.js';

/** Who may come, and from where. */
export interface Access {
  /** The setting that names the address, for the message of a refusal. */
  setting: 'ERRAND_HOST' | 'ERRAND_HEALTH_HOST';
  host: string;
  keys: readonly ApiKey[];
  allowNoAuth: boolean;
}

/** A configuration that would open what must be closed. */
export class UnsafeBindingError extends Error {
  readonly hint = true;
  constructor({ setting, host }: Access) {
    super(
      `${setting}=${host} can be reached from other machines, and there are no keys.\n` +
        'Set ERRAND_API_KEYS, or listen on 127.0.0.1; or, where something else keeps strangers out, ERRAND_ALLOW_NO_AUTH=true.',
    );
  }
}

/** @throws UnsafeBindingError where there are no keys and the address is open to others */
export function requireSafeBinding(access: Access): void {
  const isLocal = access.host === 'localhost' || isLoopbackAddress(access.host);
  if (access.keys.length === 0 && !access.allowNoAuth && !isLocal) throw new UnsafeBindingError(access);
}

/** What a request shows of itself. */
export interface Credentials {
  authorization: string | undefined;
  /** The key may also come as the password of `Basic`: a browser can send nothing else by itself. */
  byPassword?: boolean;
}

/** Whose data the caller sees; `refused`: there is no key, or a wrong one. */
export type AccessDecision = { tenant: string } | { refused: true };

/**
 * Returns what judges callers. With keys: `Authorization: Bearer <key>`, with or without its tenant before it, compared in constant
 * time. Without keys everybody is the default tenant; the server then listens on loopback alone, or the operator vouches for the
 * network (`requireSafeBinding`), and `originCheck` keeps web pages out.
 */
export function createAccessCheck(keys: readonly ApiKey[]): (caller: Credentials) => AccessDecision {
  const known = keys.flatMap(({ tenant, key }) =>
    [key, `${tenant}:${key}`].map((text) => ({ tenant, digest: sha256(text) })),
  );
  return ({ authorization = '', byPassword = false }) => {
    if (known.length === 0) return { tenant: DEFAULT_TENANT };
    const key = bearerOf(authorization) ?? (byPassword ? passwordOf(authorization) : undefined);
    const given = key === undefined ? undefined : sha256(key);
    const found = given && known.find(({ digest }) => timingSafeEqual(digest, given));
    return found ? { tenant: found.tenant } : { refused: true };
  };
}

/** Figures and pages of the whole are for the operator: a key of one tenant does not open them. */
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
