import { newInvocationId, ToolError, type Attachment } from '@errand/contracts';
import { eventually } from '../../../../test/support/eventually.js';
import { recordOf, suspendOnce, useQueues } from '../../test/use-queues.js';
import {
  AttemptFailed,
  connectQueues,
  consume,
  extendAttachments,
  openShards,
  readAttachments,
  storeAttachments,
  submitInvocation,
  SuspendJob,
  type Queues,
  type Work,
} from '../index.js';
import { keys, keysOf } from '../redis/names.js';

const DAY_SECONDS = 86_400;
const DAY_MS = DAY_SECONDS * 1_000;
const FILE = { name: 'a.txt', bytes: Buffer.from('content') };

const kit = useQueues();
let queues: Queues;
beforeAll(() => {
  ({ queues } = kit);
});

const keyOf = ({ sha256 }: Attachment, { redis } = queues) => keysOf(redis).attachment('default', sha256);
const lifeOf = (attachment: Attachment) => queues.redis.ttl(keyOf(attachment));

/** Stores a file of its own for each test. */
async function store(name: string, delayMs?: number): Promise<Attachment> {
  const [attachment] = await storeAttachments(queues, 'default', [{ name, bytes: Buffer.from(name) }], delayMs);
  return attachment!;
}

/** Runs an invocation whose file would expire in a minute, until it waits or has failed. @returns the life of the file after that, in seconds */
async function lifeAfter(name: string, handle: (work: Work) => Promise<never>): Promise<number> {
  const attachment = await store(name);
  await queues.redis.expire(keyOf(attachment), 60);
  const options = { concurrency: 1, lockMs: 5_000, stalledMs: 5_000, onError: () => {}, queues };
  await kit.keep(consume(kit.redis.url, 'invocations', options, handle)).ready();
  const id = newInvocationId();
  await submitInvocation(queues, 'invocations', id, recordOf({ attachments: [attachment] }));
  const sets = [keys.set('invocations', 'delayed'), keys.ended('invocations', 'failed')];
  const isAtRest = async () => (await Promise.all(sets.map((set) => queues.redis.zscore(set, id)))).some(Boolean);
  await eventually(isAtRest, 'the job waits or has failed');
  return lifeOf(attachment);
}

describe('The life of an attachment', () => {
  it('A later submission of the same file without a delay does not shorten its life', async () => {
    const attachment = await store('delayed', 30 * DAY_MS);
    await store('delayed');
    expect(await lifeOf(attachment)).toBeGreaterThan(29 * DAY_SECONDS);
  });

  it('A later submission of the same file with a delay extends its life', async () => {
    const attachment = await store('extended');
    await store('extended', 30 * DAY_MS);
    expect(await lifeOf(attachment)).toBeGreaterThan(30 * DAY_SECONDS);
    expect(await readAttachments(queues, 'default', [attachment])).toEqual([Buffer.from('extended')]);
  });

  it('A suspension until a time keeps the files until then, and for the retention age more', async () => {
    const wait = () => Promise.reject(new SuspendJob(Date.now() + 8 * DAY_MS, 'answer'));
    const seconds = await lifeAfter('until', wait);
    expect(seconds).toBeGreaterThan(8 * DAY_SECONDS);
    expect(seconds).toBeLessThanOrEqual(8 * DAY_SECONDS + queues.retention.ageSeconds);
  });

  it('A suspension for an answer without a deadline keeps the files for 90 days', async () => {
    const ask = () => Promise.reject(new SuspendJob(undefined, 'answer'));
    const seconds = await lifeAfter('asked', ask);
    expect(seconds).toBeGreaterThan(90 * DAY_SECONDS);
    expect(seconds).toBeLessThanOrEqual(90 * DAY_SECONDS + queues.retention.ageSeconds);
  });

  it('A pause before a retry keeps the files until the next attempt', async () => {
    const fail = () => Promise.reject(new AttemptFailed(new ToolError('ServiceError', 'away'), DAY_MS));
    const seconds = await lifeAfter('paused', fail);
    expect(seconds).toBeGreaterThan(DAY_SECONDS);
  });

  it('A failure keeps the files as long as the failed invocation, for a repair', async () => {
    const fail = () => Promise.reject(new AttemptFailed(new ToolError('NodeError', 'no'), undefined));
    const seconds = await lifeAfter('failed', fail);
    expect(seconds).toBeGreaterThan(queues.retention.ageSeconds - 60);
  });

  it('A file whose life cannot be extended does not stop the job', async () => {
    const keepAttachments = () => Promise.reject(new Error('no connection'));
    const problems: Error[] = [];
    const onError = (error: Error) => void problems.push(error);
    await kit.serve('invocations', suspendOnce(Date.now(), 'time'), { keepAttachments, onError });
    const id = await kit.submit({}, { attachments: [await store('lost')] });
    await kit.until(id, 'succeeded');
    expect(problems.map(({ message }) => message)).toEqual(['no connection']);
  });
});

it('With several shards, the life of a file is extended in the shard of its digest', async () => {
  const sharded = connectQueues(kit.redis.url, queues.retention);
  openShards(kit.redis.url, 'commands', sharded, [{ count: 8, since: 0 }]);
  try {
    const [attachment] = await storeAttachments(sharded, 'default', [FILE]);
    await extendAttachments(sharded, { tenant: 'default', attachments: [attachment!] }, 30 * DAY_MS);
    const places = sharded.shards?.placesOf('default', attachment!.sha256) ?? [];
    const lives = await Promise.all(places.map((place) => place.redis.ttl(keyOf(attachment!, place))));
    expect(lives).toEqual([expect.closeTo(30 * DAY_SECONDS + queues.retention.ageSeconds, -2)]);
  } finally {
    await sharded.shards?.close();
    await sharded.close();
  }
});
