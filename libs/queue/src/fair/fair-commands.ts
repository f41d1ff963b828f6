import { join } from 'node:path';
import {
  addPrioritizedJob,
  addStandardJob,
  moveToActive,
  moveToDelayed,
  moveToFinished,
  retryJob,
} from 'bullmq/dist/cjs/scripts/index.js';
import { isObject } from '@errand/contracts';
import type { IRedisClient } from 'bullmq';
import type { Redis } from 'ioredis';
import { asFunction } from '../bullmq/layout.js';
import { loadScript } from '../redis/lua-script.js';
import { DEFAULT_LANE, laneOf, type LaneOwner } from './lane.js';

type ScriptOfBullmq = typeof addStandardJob;

const add = (script: ScriptOfBullmq) =>
  loadScript<unknown>(join(__dirname, 'add-job.lua'), { functions: asFunction({ ...script, name: 'add' }) });
const ADD = { addStandardJob: add(addStandardJob), addPrioritizedJob: add(addPrioritizedJob) };
const RETRY = loadScript<unknown>(join(__dirname, 'retry-job.lua'), { functions: asFunction(retryJob) });
const DELAY = loadScript<unknown>(join(__dirname, 'delay-job.lua'), { functions: asFunction(moveToDelayed) });
const TAKE = loadScript<unknown>(join(__dirname, 'take-job.lua'), {
  constants: { 'bullmq.args': 3 },
  functions: asFunction(moveToActive) + asFunction(moveToFinished),
});
const FINISH_DELIVERY = loadScript<unknown>(join(__dirname, 'finish-delivery.lua'), {
  constants: { 'bullmq.args': 9 },
  functions: asFunction(moveToFinished),
});
const EMPTY = loadScript<number>(join(__dirname, 'empty-ring.lua'));

/**
 * Runs a command of BullMQ's backend together with the rules between tenants, in one script: the commands that add, take, retry, delay and
 * end jobs.
 * @param given BullMQ's KEYS and ARGV. An undefined argument is sent as an empty one
 * @param rules from `rulesArgs`
 * @returns undefined for any other command, and for one inside a transaction
 */
export function runFairly(
  client: IRedisClient,
  command: string,
  given: readonly unknown[],
  rules: readonly (string | number)[],
): Promise<unknown> | undefined {
  // A transaction only records commands. Its jobs go to BullMQ's own sets, which are taken first.
  if (!('status' in client)) return undefined;
  const run = (script: typeof RETRY, { keys }: ScriptOfBullmq, more: readonly (string | number)[] = []) => {
    const args = given.slice(keys).map((arg) => (arg ?? '') as string);
    return script.run(client as unknown as Redis, given.slice(0, keys) as string[], [...args, ...more]);
  };
  if (command === 'addStandardJob') return run(ADD.addStandardJob, addStandardJob, [laneOfData(given.at(-2))]);
  if (command === 'addPrioritizedJob') return run(ADD.addPrioritizedJob, addPrioritizedJob, [laneOfData(given.at(-2))]);
  if (command === 'retryJob') return run(RETRY, retryJob, rules);
  if (command === 'moveToDelayed') return run(DELAY, moveToDelayed, rules);
  if (command === 'moveToActive') return run(TAKE, moveToActive, rules);
  if (command === 'moveToFinished') return run(FINISH_DELIVERY, moveToFinished, rules);
  return undefined;
}

/** Moves all waiting jobs of a queue to BullMQ's waiting list, for commands of BullMQ that know no other. */
export async function emptyRing(redis: Redis, prefix: string): Promise<void> {
  let moved: number;
  do moved = await EMPTY.run(redis, [prefix], []);
  while (moved > 0);
}

/** The lane of a job that BullMQ adds, from its data as JSON. */
function laneOfData(data: unknown): string {
  const record: unknown = typeof data === 'string' ? JSON.parse(data) : undefined;
  return isObject(record) && typeof record['tenant'] === 'string'
    ? laneOf(record as unknown as LaneOwner)
    : DEFAULT_LANE;
}
