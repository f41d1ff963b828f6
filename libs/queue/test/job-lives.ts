import { recordOf } from './use-queues.js';
import type { InvocationRecord, SubmitOptions } from '../src/index.js';

/** What a start of a job does. The last one ends the job. */
export type Start =
  | { does: 'succeed'; size: number }
  | { does: 'fail' | 'crash' | 'cancel' | 'ask' }
  | { does: 'retry'; pauseMs: number }
  | { does: 'sleep'; ms: number }
  /** The lock expires, and nobody takes the job. */
  | { does: 'lapse' }
  /** The stalled check puts the job back while it runs. */
  | { does: 'stall' }
  /** Another process holds the lock at the end. */
  | { does: 'lose' };

/** How the job is added. */
export type Kind =
  | 'plain'
  | 'script'
  | 'callback'
  | 'push'
  | 'keyed'
  | 'waited'
  | 'removed'
  | 'deduplicated'
  | 'flow'
  | 'strict-flow';

/** The life of one job. */
export interface Life {
  id: string;
  kind: Kind;
  options: SubmitOptions;
  record: InvocationRecord;
  starts: Start[];
}

/** So long that the result is stored beside the job, in two pieces. */
const LARGE = 70_000;

const KINDS: readonly Kind[] = [
  'plain',
  'plain',
  'plain',
  'script',
  'callback',
  'push',
  'keyed',
  'waited',
  'removed',
  'deduplicated',
  'flow',
  'strict-flow',
];

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A random life. `id` is the id of its job. */
export function randomLife(random: () => number, id: string): Life {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] ?? pick(list);
  const kind = pick(KINDS);
  const isInvocation = kind !== 'script' && kind !== 'flow' && kind !== 'strict-flow';
  const options: SubmitOptions = {
    ...(random() < 0.3 && { priority: pick([1, 2, 7]) }),
    ...(random() < 0.3 && { delayMs: 1 + Math.floor(random() * 20) }),
  };
  const record = recordOf({
    tenant: pick(['default', 'acme']),
    ...(kind === 'script' && { parent: { invocationId: 'inv_parent', step: 0 } }),
  });
  const starts = Array.from({ length: Math.floor(random() * 3) }, () => randomStart(random, pick, isInvocation));
  starts.push(randomEnd(random, pick));
  // The check fails a job that has stalled twice.
  const stalls = starts.flatMap(({ does }, n) => (does === 'stall' || does === 'lose' ? [n] : []));
  return { id, kind, options, record, starts: stalls.length > 1 ? starts.slice(0, (stalls[1] ?? 0) + 1) : starts };
}

function randomStart(random: () => number, pick: <T>(list: readonly T[]) => T, isInvocation: boolean): Start {
  const does = pick(
    isInvocation ? (['retry', 'sleep', 'ask', 'stall', 'lose'] as const) : (['retry', 'stall', 'lose'] as const),
  );
  if (does === 'retry') return { does, pauseMs: pick([0, 1, 15]) };
  if (does === 'sleep') return { does, ms: Math.floor(random() * 15) };
  return { does };
}

function randomEnd(random: () => number, pick: <T>(list: readonly T[]) => T): Start {
  if (random() < 0.5) return { does: 'succeed', size: pick([0, 10, 10, 2_000, LARGE]) };
  return { does: pick(['fail', 'crash', 'cancel', 'lapse'] as const) };
}
