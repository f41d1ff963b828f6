import type { Queues } from '../redis/connect.js';
import { findJob } from './find-job.js';
import { openLife } from './open-life.js';
import { readJournal, readState, type Fields } from '../consume/journal.js';
import { keysOf } from '../redis/names.js';
import type { SubmitOptions } from '../enqueue/job-options.js';

/** The data of an ended invocation from which a repair continues. */
export interface PreviousRun {
  journal: Fields;
  state: Fields;
  /** The answers in their stored form. */
  answers: Fields;
  /** The pieces of large results. */
  results?: Fields;
}

export async function readPreviousRun(queues: Queues, id: string): Promise<PreviousRun> {
  const keys = keysOf(queues.redis);
  const [journal, state, answers, results] = await Promise.all([
    readJournal(queues, id),
    readState(queues, id),
    queues.redis.hgetall(keys.answers(id)),
    queues.redis.hgetall(keys.results(id)),
  ]);
  const fieldsOf = (hash: Record<string, string>) => new Map(Object.entries(hash));
  return { journal, state, answers: fieldsOf(answers), results: fieldsOf(results) };
}

/** Copies the data to the keys of an invocation that is not submitted yet. One round trip. */
export async function copyPreviousRun(queues: Queues, id: string, previousRun: PreviousRun): Promise<void> {
  const keys = keysOf(queues.redis);
  const pipeline = queues.redis.pipeline();
  const hashes = [
    [keys.journal(id), previousRun.journal],
    [keys.state(id), previousRun.state],
    [keys.answers(id), previousRun.answers],
    [keys.results(id), previousRun.results ?? new Map<string, string>()],
  ] as const;
  for (const [key, fields] of hashes) {
    if (fields.size === 0) continue;
    pipeline.hset(key, new Map(fields));
    pipeline.expire(key, openLife(queues.retention));
  }
  for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
}

/** The options of the earlier submission, except its delay. */
export async function readOptions(queues: Queues, tenant: string, id: string): Promise<SubmitOptions> {
  const found = await findJob(queues, tenant, id);
  const { priority } = found?.job.opts ?? {};
  return { ...(priority && { priority }), ...found?.job.data.retry };
}
