import { setTimeout } from 'node:timers/promises';

/**
 * Kills each process of a stack in turn, until `stop` is aborted or each was killed `rounds` times. Counts the kills by name in `killed`.
 */
export async function killInTurn({ stack, random, stop, killed, rounds = Infinity }) {
  const { names } = stack;
  for (let turn = 0; turn < rounds * names.length; turn++) {
    await setTimeout(500 + random() * 1_500, undefined, { signal: stop }).catch(() => {});
    if (stop.aborted) return;
    const name = names[turn % names.length];
    killed.set(name, (killed.get(name) ?? 0) + 1);
    await stack.kill(name, random() * 1_000);
  }
}
