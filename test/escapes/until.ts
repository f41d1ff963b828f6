import { eventually } from '../support/eventually.js';

/** Resolves as soon as `condition` holds. Rejects with `what` in the message after some minutes. */
export async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  await eventually(condition, what);
}
