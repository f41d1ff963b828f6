import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS } from '../../../test/support/eventually.js';

/** Waits until what is expected is so; in the end it says what is not. */
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
