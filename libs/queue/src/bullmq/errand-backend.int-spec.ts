import { newInvocationId } from '@errand/contracts';
import { putBack } from '../../test/put-back.js';
import { recordOf, succeed, useQueues } from '../../test/use-queues.js';
import { readInvocation, submitInvocation } from '../index.js';
import { rulesArgs, USUAL_RULES } from '../fair/fair-rules.js';
import { errandBackend } from './errand-backend.js';
import { finishAndTake } from './finish-and-take.js';

const kit = useQueues({ each: true });

/** Starts the next job with the lock `token`. */
async function take(token: string): Promise<string | undefined> {
  const given = { call: token, now: Date.now(), ends: [], wanted: 1, portion: 1, rules: rulesArgs(USUAL_RULES, 0) };
  const consumer = { queue: 'invocations', consumer: token, lockMs: 600_000 } as const;
  return (await finishAndTake(kit.queues.redis, consumer, given)).taken[0]?.[9];
}

/** A backend whose commands can be held back: a held one is sent when the returned function is called. */
async function openBackend() {
  const options = { connection: kit.queues.redis, prefix: '{errand}' };
  const backend = errandBackend({ isIndexed: true })('invocations', options);
  const { connection } = backend as unknown as { connection: { client: Promise<unknown> } };
  const client: unknown = await connection.client;
  const hold = () => {
    let release = () => {};
    const held = new Promise((resolve) => (release = () => resolve(client)));
    jest.spyOn(connection, 'client', 'get').mockReturnValue(held);
    return release;
  };
  return { backend, hold };
}

describe('The backend', () => {
  it('The refused end of an earlier run in the same process does not change how the end of a later run is stored', async () => {
    const { redis } = kit.queues;
    const id = newInvocationId();
    await submitInvocation(kit.queues, 'invocations', id, recordOf());
    await take('first');
    await redis.del(`{errand}:invocations:${id}:lock`);
    await putBack(redis, id);
    expect(await take('second')).toBe(id);

    const job = (await kit.queues.byName.invocations.getJob(id))!;
    const outcome = await succeed();
    const { backend, hold } = await openBackend();
    const early = backend.moveToCompleted(job, { steps: [] }, false, 'first', false);
    const release = hold();
    const late = backend.moveToCompleted(job, outcome, false, 'second', false);
    await expect(early).rejects.toThrow('Lock mismatch');
    release();
    await late;

    expect(await readInvocation(kit.queues, 'default', id)).toMatchObject({ status: 'succeeded', result: 42 });
    expect(await redis.zrange('{errand}:index:default:succeeded', '0', '-1')).toEqual([id.slice('inv_'.length)]);
    expect(await redis.llen('{errand}:runs:invocations')).toBe(1);
    await backend.close();
  });
});
