import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newInvocationId } from '@errand/contracts';
import { recordOf, succeed, useQueues } from '../../test/use-queues.js';
import {
  addWaiter,
  cancelInvocation,
  connectQueues,
  listInvocations,
  NotificationHub,
  readInvocation,
  submitInvocation,
  type Queues,
} from '../index.js';
import { eventually } from '../../../../test/support/eventually.js';

const kit = useQueues({ each: true });
const OTHER = '{errand.other}';
let other: Queues;

beforeEach(() => {
  const retention = { ageSeconds: 3_600, count: 1_000 };
  other = connectQueues(kit.redis.url, retention, undefined, undefined, undefined, OTHER);
});
afterEach(() => other.close());

async function submitTo(queues: Queues, tenant = 'default'): Promise<string> {
  const id = newInvocationId();
  const callback = { url: 'http://127.0.0.1:1/', events: ['invocation.succeeded' as const] };
  await submitInvocation(queues, 'invocations', id, recordOf({ tenant }), {}, callback);
  return id;
}

/** Every key except the one that BullMQ writes when a queue is opened. */
const allKeys = async () => (await kit.queues.redis.keys('*')).filter((key) => !key.endsWith(':meta'));

describe('Two keyspaces in one Redis', () => {
  it('An invocation lives, runs and ends under the keys of its keyspace only', async () => {
    const id = await submitTo(other);
    await addWaiter(other, id, newInvocationId());
    const notifications = await NotificationHub.open(kit.redis.url, [OTHER]);
    const ended = notifications.listen(id, 'end').next(AbortSignal.timeout(60_000));
    await kit.serve('invocations', succeed, { keyspace: OTHER });
    expect(await ended).toBe(true);
    notifications.close();
    expect(await readInvocation(other, 'default', id)).toMatchObject({ status: 'succeeded', result: 42 });
    expect(await readInvocation(kit.queues, 'default', id)).toBeUndefined();
    expect((await allKeys()).filter((key) => !key.startsWith(`${OTHER}:`))).toEqual([]);
  });

  it('Work of one keyspace is invisible in the lists, cancels and consumers of the other', async () => {
    const [own, foreign] = [await submitTo(kit.queues), await submitTo(other)];
    expect(await cancelInvocation(kit.queues, 'default', foreign)).toBeUndefined();
    await kit.serve('invocations', succeed);
    await eventually(async () => (await readInvocation(kit.queues, 'default', own))?.status === 'succeeded');
    expect(await readInvocation(other, 'default', foreign)).toMatchObject({ status: 'queued' });
    const page = await listInvocations(other, 'default', {}, { limit: 10 });
    expect(page.items.map(({ id }) => id)).toEqual([foreign]);
  });
});

it('No source file of the queue library names keys of one fixed keyspace', () => {
  const folder = join(__dirname, '..');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('spec.ts'),
  );
  const fixed = sources.filter((name) =>
    /import \{[^}]*\bkeys\b[^}]*\} from '[^']*names\.js'/.test(readFileSync(join(folder, name), 'utf8')),
  );
  expect(fixed).toEqual([]);
});
