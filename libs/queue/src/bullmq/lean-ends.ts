import { UnrecoverableError } from 'bullmq';
import type { InvocationRecord } from '../state/record.js';
import { notedOf, NOTHING_NOTED } from '../stats/noted-record.js';
import type { RunEnd } from './end-by-bullmq.js';
import type { Ending } from './finish-and-take.js';
import type { TakenJob } from './taken-job.js';

/** The end of an invocation or its script for `finishAndTake`, or undefined if it needs BullMQ's script: a retry, a removal or a result that is no JSON. */
export function leanEndOf(job: TakenJob<InvocationRecord>, end: RunEnd): Ending | undefined {
  const value = leanValue(job, end);
  if (value === undefined) return undefined;
  const { id, token, name, attemptsStarted: attempt, data } = job;
  const { tenant: owner, parent, idempotency } = data;
  const tenant = parent ? undefined : owner;
  const { tools, agent } = parent ? NOTHING_NOTED : notedOf(data);
  // One literal: to spread parts of it costs as much as the rest of storing an end.
  return { id, token, attempt, isSuccess: 'result' in end, value, name, tenant, idempotency, tools, agent };
}

/** What the lean script stores, or undefined for an end that needs BullMQ's script. */
export function leanValue({ isLean }: TakenJob<unknown>, end: RunEnd): string | undefined {
  if (!isLean) return undefined;
  if ('error' in end) return end.error instanceof UnrecoverableError ? end.error.message : undefined;
  try {
    return JSON.stringify(end.result) ?? 'null';
  } catch {
    return undefined;
  }
}
