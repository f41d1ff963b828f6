import { isFinal, type Json, type Status } from '@errand/contracts';
import type { Queues } from './connect.js';
import { readLarge, readLargePart } from './large-result.js';
import { readState } from './journal.js';
import { toInvocation } from './read-invocation.js';
import type { StepOutcome } from './record.js';
import { readJob } from './stored-job.js';

/** The result of one step: a text is itself, anything else its JSON. */
export interface ResultReader {
  /** Characters of the text, in UTF-16 code units. */
  total: number;
  part(from: number, to: number): Promise<string>;
  whole(): Promise<Json>;
}

/**
 * How an invocation stands, and, if it has ended, a reader for the result of each of its steps; none for a step that did not
 * succeed. Undefined where there is no such invocation.
 */
export async function openResult(
  queues: Queues,
  tenant: string,
  id: string,
): Promise<{ status: Status; steps: (ResultReader | undefined)[] } | undefined> {
  const job = await readJob(queues, id);
  if (job?.data.tenant !== tenant) return undefined;
  const { status } = toInvocation(id, job, new Map());
  if (status === 'succeeded')
    return { status, steps: (job.returnvalue?.steps ?? []).map((step) => readerOf(queues, id, step)) };
  const state = isFinal(status) ? await readState(queues, id) : new Map<string, string>();
  const steps = job.data.calls.map((_, index) => {
    const text = state.get(`${index}`);
    const step = text === undefined ? undefined : (JSON.parse(text) as StepOutcome);
    return step?.status === 'succeeded' ? readerOf(queues, id, step) : undefined;
  });
  return { status, steps };
}

/** A reader of a value that is at hand. */
export function readerOfValue(value: Json): ResultReader {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { total: text.length, part: async (from, to) => text.slice(from, to), whole: async () => value };
}

function readerOf({ redis }: Queues, id: string, { result, large }: StepOutcome): ResultReader {
  if (!large) return readerOfValue(result ?? null);
  return {
    total: large.total,
    part: (from, to) => readLargePart(redis, id, large, from, to),
    whole: () => readLarge(redis, id, large),
  };
}
