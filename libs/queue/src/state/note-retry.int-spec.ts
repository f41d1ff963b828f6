import { newInvocationId } from '@errand/contracts';
import { useQueues } from '../../test/use-queues.js';
import { noteRetry, readInvocation } from '../index.js';

const kit = useQueues();
const retriesOf = async (id: string) => (await readInvocation(kit.queues, 'default', id))?.retriedBy;

describe('noteRetry', () => {
  it('An invocation names its last 20 retries, oldest first', async () => {
    const id = await kit.submit({ delayMs: 86_400_000 });
    expect(await retriesOf(id)).toBeUndefined();
    const retries = Array.from({ length: 25 }, () => newInvocationId());
    for (const retry of retries) await noteRetry(kit.queues, id, retry);
    expect(await retriesOf(id)).toEqual(retries.slice(5));
  });

  it('A retry that is noted twice is named once, at its first place', async () => {
    const id = await kit.submit({ delayMs: 86_400_000 });
    const [first, second] = [newInvocationId(), newInvocationId()];
    for (const retry of [first, second, first]) await noteRetry(kit.queues, id, retry);
    expect(await retriesOf(id)).toEqual([first, second]);
  });

  it('An invocation that was removed stays removed', async () => {
    const id = newInvocationId();
    await noteRetry(kit.queues, id, newInvocationId());
    expect(await readInvocation(kit.queues, 'default', id)).toBeUndefined();
    expect(await kit.queues.redis.keys(`*${id}*`)).toEqual([]);
  });
});
