import type { Command } from 'ioredis';

/** The first line of Errand's own scripts on a Cluster: removes the key that `nameMissingKey` adds. BullMQ's scripts do not count their KEYS. */
export const DROP_MISSING_KEY = 'table.remove(KEYS)\n';

const COUNT = 1;

/**
 * Adds a key that never exists to the KEYS of a script, as the last one.
 *
 * While a Redis Cluster moves a slot, a node executes only commands whose keys are all still there. It checks the KEYS of a script before
 * it begins. A script that builds the name of another key would end at that key, behind its first writes, and Redis undoes none. With a key
 * that is never there, the node refuses the whole script (ASK or TRYAGAIN), and the client sends it again after the move.
 */
export function nameMissingKey({ name, args }: Command, missing: string): void {
  if (name !== 'evalsha' && name !== 'eval') return;
  const count = Number(args[COUNT]);
  const last = COUNT + count;
  // A refused command comes again.
  if (count > 0 && String(args[last]) === missing) return;
  args[COUNT] = String(count + 1);
  args.splice(last + 1, 0, missing);
}
