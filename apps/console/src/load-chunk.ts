import { messageOf } from './api/problems.js';
import { backoffMs } from './live/backoff.js';

/** The address and the chunk for which the page was reloaded last. */
const RELOADED = 'errand-reloaded';

/**
 * Loads a chunk. After an upgrade the server does not have the chunks of an older page any more: the page then reloads itself once, and keeps
 * its address.
 *
 * @throws the error of the import if the chunk is missing after the reload, too
 */
export async function loadChunk<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (wasReloaded(error)) throw error;
    await reloadOnce(error);
    return new Promise(() => undefined);
  }
}

/** Whether the page has reloaded itself because of this chunk already. */
export function wasReloaded(error: unknown): boolean {
  return sessionStorage.getItem(RELOADED) === nameOf(error);
}

/**
 * Reloads the page because of a chunk. While the server does not answer, it waits, because a reload would show the error of the browser.
 *
 * @param signal ends the wait
 */
export async function reloadOnce(error: unknown, signal?: AbortSignal): Promise<void> {
  await untilServed();
  if (signal?.aborted) return;
  sessionStorage.setItem(RELOADED, nameOf(error));
  location.reload();
}

/** The message of a failed import names the chunk. */
function nameOf(error: unknown): string {
  return `${location.href} ${messageOf(error)}`;
}

async function untilServed(): Promise<void> {
  for (let failures = 0; !(await isServed()); failures++)
    await new Promise((resolve) => setTimeout(resolve, backoffMs(failures)));
}

async function isServed(): Promise<boolean> {
  try {
    return (await fetch('/console/', { method: 'HEAD', cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
