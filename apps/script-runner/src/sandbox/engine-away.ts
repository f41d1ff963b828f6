import { setTimeout as delay } from 'node:timers/promises';
import { isObject } from '@errand/contracts';
import type Docker from 'dockerode';
import { within } from './engine-error.js';

const AWAY = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);
const ASK_EVERY_MS = 500;

/** Whether this failure says that no engine is there, rather than that it refused. */
export function isEngineAway(cause: unknown): boolean {
  return isObject(cause) && typeof cause.code === 'string' && AWAY.has(cause.code);
}

/** Resolves when the engine answers, when the time is over, or when `signal` fires. */
export async function engineReturns(docker: Docker, until: number, signal: AbortSignal): Promise<void> {
  while (Date.now() < until && !signal.aborted) {
    const answers = await within(ASK_EVERY_MS, docker.ping()).then(
      () => true,
      () => false,
    );
    if (answers) return;
    await delay(ASK_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}
