import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from './problem-error.js';

const OPEN_ROUTES = new Set(['/healthz', '/readyz']);

/** Whether only this machine itself can reach the address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** A configuration that would open what must be closed. */
export class UnsafeBindingError extends Error {
  readonly hint = true;
  constructor(host: string) {
    super(
      `ERRAND_HOST=${host} can be reached from other machines, and there are no keys.\n` +
        'Set ERRAND_API_KEYS, or listen on 127.0.0.1; or, where something else keeps strangers out, ERRAND_ALLOW_NO_AUTH=true.',
    );
  }
}

/** Who may come, and from where. */
export interface Access {
  host: string;
  keys: readonly string[];
  allowNoAuth: boolean;
}

/** @throws UnsafeBindingError where there are no keys and the address is open to others */
export function requireSafeBinding({ host, keys, allowNoAuth }: Access): void {
  if (keys.length === 0 && !allowNoAuth && !isLoopback(host)) throw new UnsafeBindingError(host);
}

/**
 * Lets in who may come. With keys: `Authorization: Bearer <key>`, compared in constant time. Without: only requests that
 * name this machine as their host, so that a page in a browser cannot reach a local API through a name of its own.
 */
export function guardAccess(fastify: FastifyInstance, settings: Access): void {
  const digests = settings.keys.map(sha256);
  fastify.addHook('onRequest', async (request: FastifyRequest) => {
    if (OPEN_ROUTES.has(request.routeOptions.url ?? '')) return;
    if (digests.length > 0) return requireKey(request, digests);
    if (!settings.allowNoAuth && !isLoopback(request.hostname)) {
      throw new ProblemError(
        'forbidden',
        `This API answers to this machine only, not to the name '${request.hostname}'`,
      );
    }
  });
}

function requireKey(request: FastifyRequest, digests: readonly Buffer[]): void {
  const [, key] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const given = key === undefined ? undefined : sha256(key);
  if (!given || !digests.some((digest) => timingSafeEqual(digest, given))) {
    throw new ProblemError(
      'unauthorized',
      'Present one of the keys of ERRAND_API_KEYS as `Authorization: Bearer <key>`',
    );
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
