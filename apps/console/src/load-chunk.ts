import { messageOf } from './api/problems.js';
import { backoffMs } from './live/backoff.js';

/** The address and the chunk for which the page was reloaded last. */
const RELOADED = 'errand-reloaded';

/**
 * Loads a chunk. After an upgrade the server does not have the chunks of an older page any more: the page then reloads itself once, and keeps
 * its address. While the server does not answer, it waits, because a reload would show the error of the browser.
 *
 * @throws the error of the import if the chunk is missing after the reload, too
 */
export async function loadChunk<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const missing = `${location.href} ${messageOf(error)}`;
    if (sessionStorage.getItem(RELOADED) === missing) throw error;
    await untilServed();
    sessionStorage.setItem(RELOADED, missing);
    location.reload();
    return new Promise(() => undefined);
  }
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
