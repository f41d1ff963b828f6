import { setTimeout as delay } from 'node:timers/promises';

/**
 * How long tests wait for a condition, in ms. It is far more than a busy machine needs: it only turns a hang into a
 * message.
 */
export const PATIENCE_MS = 240_000;
const PAUSE_MS = 20;

/**
 * Calls `look` until it returns a value other than undefined and false.
 * @param what the awaited condition, for the message; default: the source text of `look`
 * @throws Error after PATIENCE_MS that names `what`
 */
export async function eventually<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
  what = String(look),
): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`waited ${PATIENCE_MS / 1_000} s for this without success: ${what}`);
    await delay(PAUSE_MS);
  }
}

/** Waits for a promise that something else settles. @throws Error after PATIENCE_MS that names `what` */
export async function inPatience<T>(promise: Promise<T>, what: () => string | Promise<string>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    const giveUp = async () =>
      reject(new Error(`waited ${PATIENCE_MS / 1_000} s for this without success: ${await what()}`));
    timer = setTimeout(() => void giveUp(), PATIENCE_MS);
  });
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
