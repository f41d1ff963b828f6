import { eventually } from '../support/eventually.js';

/** Resolves as soon as `condition` holds; rejects, naming it, when it does not for minutes. */
export async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  await eventually(condition, what);
}
