import { newInvocationId } from '@errand/contracts';
import { Redis } from 'ioredis';
import { eventually } from '../../../../test/support/eventually.js';
import { recordOf, useQueues } from '../../test/use-queues.js';
import { keys } from '../redis/names.js';
import { readQueue, submitInvocations, type SubmitOptions } from '../index.js';

const kit = useQueues({ each: true });
const RECORD = recordOf({});

async function submit(options: SubmitOptions = {}): Promise<string> {
  const id = newInvocationId();
  await submitInvocations(kit.queues, [{ queue: 'invocations', id, record: RECORD, options }]);
  return id;
}

it('No script reads the data of a job, which may be long, to know its lane', async () => {
  const connection = new Redis(kit.redis.url);
  const monitor = await connection.monitor();
  const seen: string[][] = [];
  const read: string[][] = [];
  monitor.on('monitor', (_at: string, args: string[], source: string) => {
    seen.push(args);
    if (source === 'lua' && args[0]?.toLowerCase() === 'hget' && args[2] === 'data') read.push(args);
  });
  // Two wait in the list of BullMQ, and the third one takes them to their lane. The next one becomes due.
  for (const options of [{}, {}, { priority: 2 }, { delayMs: 1 }]) await submit(options);
  expect(await kit.queues.redis.zcard(keys.fair('invocations', 'lane:0:default:'))).toBe(3);
  await readQueue(kit.queues, 'invocations', RECORD.tenant);
  await kit.serve('invocations', async () => ({ steps: [{ status: 'succeeded', result: 1 }] }));
  await eventually(async () => (await kit.queues.redis.zcard(keys.job('invocations', 'completed'))) === 4);
  await readQueue(kit.queues, 'invocations', RECORD.tenant);
  await kit.queues.redis.get('the-end');
  await eventually(() => seen.some(([, key]) => key === 'the-end'));
  for (const one of [monitor, connection]) one.disconnect();
  expect(read).toEqual([]);
});

it('The lane of a job of an older version is that of the tenant in its data', async () => {
  const { redis } = kit.queues;
  const old = {
    name: 'old',
    opts: '{}',
    timestamp: 1,
    data: JSON.stringify({ tenant: 'acme', text: '{"tenant":"other"' }),
  };
  for (const id of ['old-1', 'old-2']) {
    await redis.hset(keys.job('invocations', id), old);
    await redis.lpush(keys.set('invocations', 'wait'), id);
  }
  await submit({ priority: 2 });
  expect(await redis.zrange(keys.fair('invocations', 'lane:0:acme:'), '0', '-1')).toEqual(['old-1', 'old-2']);
});
