import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS } from '../../../test/support/eventually.js';

/** Repeats the expectation until it passes. After the timeout it throws the last failure. */
export async function eventually(expectation: () => void): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return expectation();
    } catch (error) {
      if (Date.now() > end) throw error;
      await delay(10);
    }
  }
}
