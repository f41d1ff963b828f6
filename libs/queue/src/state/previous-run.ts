import type { Queues } from '../redis/connect.js';
import { findJob } from './find-job.js';
import { readJournal, readState, type Fields } from '../consume/journal.js';
import { keys } from '../redis/names.js';
import type { SubmitOptions } from '../enqueue/job-options.js';

/** What an invocation leaves behind that another can go on from. */
export interface PreviousRun {
  journal: Fields;
  state: Fields;
  /** As they are stored. */
  answers: Fields;
  /** Large results of steps, in pieces; absent where there are none. */
  results?: Fields;
}

export async function readPreviousRun(queues: Queues, id: string): Promise<PreviousRun> {
  const [journal, state, answers, results] = await Promise.all([
    readJournal(queues, id),
    readState(queues, id),
    queues.redis.hgetall(keys.answers(id)),
    queues.redis.hgetall(keys.results(id)),
  ]);
  const fieldsOf = (hash: Record<string, string>) => new Map(Object.entries(hash));
  return { journal, state, answers: fieldsOf(answers), results: fieldsOf(results) };
}

/** Lays them where an invocation of that id, not yet submitted, will find them. One round trip. */
export async function copyPreviousRun(queues: Queues, id: string, previousRun: PreviousRun): Promise<void> {
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
    pipeline.expire(key, queues.retention.ageSeconds);
  }
  for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
}

/** How the invocation was submitted; it is not delayed a second time. */
export async function readOptions(queues: Queues, tenant: string, id: string): Promise<SubmitOptions> {
  const found = await findJob(queues, tenant, id);
  const { priority } = found?.job.opts ?? {};
  return { ...(priority && { priority }), ...found?.job.data.retry };
}
