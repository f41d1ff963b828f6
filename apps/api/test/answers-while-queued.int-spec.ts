import { connectQueues, readAnswers, type Queues } from '@errand/queue';
import { keysOf } from '../../../libs/queue/src/redis/names.js';
import { useStack } from '../../../test/support/start-stack.js';

/** No worker runs, as after the death of the only one. */
const stack = useStack();
const { client } = stack;
let queues: Queues;
beforeAll(() => {
  queues = stack.keep(connectQueues(stack.redis.url, { ageSeconds: 3_600, count: 1_000 }));
});

/** A queued invocation with nodes that wait for answers, as a dead worker leaves it. */
async function asked(...nodes: string[]): Promise<string> {
  const id = await client.submit({ toolId: 'core:echo', arguments: { value: 1 } });
  const { redis } = queues.shardOf(id);
  for (const nodeId of nodes) {
    const waiting = { for: 'answer', key: `${nodeId}:2`, until: null };
    const state = { nodeId, type: 'far:ask', status: 'waiting_external', startedAt: null, finishedAt: null, waiting };
    await redis.hset(keysOf(redis).state(id), `0/${nodeId}`, JSON.stringify(state));
  }
  return id;
}

const answersOf = async (id: string) => Object.fromEntries(await readAnswers(queues, id));

describe('An answer to a question while no worker has its invocation', () => {
  it('The answer is stored for the question, and so is an answer that equals an earlier one', async () => {
    const id = await asked('answer');
    const { redis } = queues.shardOf(id);
    const same = { answer: { result: 'yes' }, nodeId: 'answer' };
    await redis.hset(keysOf(redis).answers(id), '0/answer:1', JSON.stringify(same));
    expect((await client.read(id)).status).toBe('queued');
    expect((await client.answer(id, { result: 'yes' })).status).toBe(202);
    expect(await answersOf(id)).toEqual({ '0/answer:1': same, '0/answer:2': same });
    expect((await client.answer(id, { result: 'yes' })).status).toBe(202);
    expect((await client.answer(id, { result: 'no' })).status).toBe(409);
    expect(Object.keys(await answersOf(id))).toHaveLength(2);
  });

  it('An answer that could be for several questions must name its node, and is stored for that node', async () => {
    const id = await asked('one', 'other');
    expect((await client.answer(id, { result: 1 })).status).toBe(400);
    expect((await client.answer(id, { result: 1, nodeId: 'other' })).status).toBe(202);
    expect(await answersOf(id)).toEqual({ '0/other:2': { answer: { result: 1 }, nodeId: 'other' } });
    expect((await client.answer(id, { result: 1 })).status).toBe(202);
    expect(Object.keys(await answersOf(id)).toSorted()).toEqual(['0/one:2', '0/other:2']);
  });
});
