import { newInvocationId } from '@errand/contracts';
import { recordOf, useQueues } from '../../test/use-queues.js';
import { readInvocation, submitInvocation, type Queues } from '../index.js';
import { readJob } from './stored-job.js';

const kit = useQueues();
let queues: Queues;
beforeAll(() => {
  ({ queues } = kit);
});

async function submit(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newInvocationId());
  await Promise.all(ids.map((id) => submitInvocation(queues, 'invocations', id, recordOf())));
  return ids;
}

/** The scripts that Redis has run. */
async function scriptRuns(): Promise<number> {
  const stats = await queues.redis.info('commandstats');
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

describe('Reads of one tick', () => {
  it('The reads of one tick share script runs, and each gets its own invocation', async () => {
    const ids = await submit(60);
    await readInvocation(queues, 'default', ids[0]!);
    const before = await scriptRuns();
    const missing = newInvocationId();
    const found = await Promise.all([...ids, missing].map((id) => readInvocation(queues, 'default', id)));
    expect(found.map((each) => each?.id)).toEqual([...ids, undefined]);
    expect((await scriptRuns()) - before).toBe(3);
  });

  it('Reads of several kinds share a script run', async () => {
    const [id = ''] = await submit(1);
    const [whole, job, elsewhere, foreign] = await Promise.all([
      readInvocation(queues, 'default', id),
      readJob(queues, id),
      readJob(queues, id, ['scripts']),
      readInvocation(queues, 'another', id),
    ]);
    expect([whole?.id, job?.data.tenant, elsewhere, foreign]).toEqual([id, 'default', undefined, undefined]);
  });
});
