import { newInvocationId, type ShownQueue } from '@errand/contracts';
import { startRedis, type TestRedis } from '../../../../test/support/start-redis.js';
import { eventually } from '../../../../test/support/eventually.js';
import { recordOf, succeed, suspendOnce } from '../../test/use-queues.js';
import {
  addWaiter,
  cancelInvocation,
  claimEffect,
  claimKeys,
  connectQueues,
  consume,
  countInvocations,
  enqueueInvocation,
  listInvocations,
  NotificationHub,
  openShards,
  placeBatch,
  placeInvocation,
  queueNames,
  readBatch,
  readClaim,
  readInvocation,
  readQueue,
  readWeight,
  setWeight,
  storeBatch,
  submitInvocation,
  submitInvocations,
  WaiterSweep,
  type Consumer,
  type Queues,
  type Work,
} from '../index.js';
import { keysOf } from '../redis/names.js';
import { waiterIn } from '../suspend/waiters.js';
import { EVERY_TENANT } from '../state/tenant-reach.js';
import { shardOfId } from './shard-of-id.js';

const RETENTION = { ageSeconds: 3_600, count: 8_000 };
const TENANT = 'default';
let server: TestRedis;
let queues: Queues;
let consumers: Consumer[];
let hubs: NotificationHub[];

beforeEach(async () => {
  server = await startRedis();
  queues = connectQueues(server.url, RETENTION);
  openShards(server.url, 'commands', queues, [{ count: 8, since: 0 }]);
  consumers = [];
  hubs = [];
});
afterEach(async () => {
  for (const hub of hubs) hub.close();
  await Promise.all(consumers.map((consumer) => consumer.close()));
  await queues.shards?.close();
  await queues.close();
  await server.stop();
});

/** Wakes the waiters of other shards, as a process does. */
async function openSweep(own = queues): Promise<WaiterSweep> {
  const hub = await NotificationHub.open(
    server.url,
    own.shards?.all.map(({ keyspace }) => keyspace),
  );
  hubs.push(hub);
  return new WaiterSweep(own, hub, () => {});
}

async function serve(handle: Parameters<typeof consume>[3], concurrency = 10): Promise<void> {
  const options = { concurrency, lockMs: 5_000, stalledMs: 5_000, onError: () => {}, queues };
  const consumer = consume(server.url, 'invocations', options, handle);
  consumers.push(consumer);
  await consumer.ready();
}

let submitted = 0;
/** Submits to the shard of the session, or to each shard in turn. */
async function submit(over: Parameters<typeof recordOf>[0] = {}): Promise<string> {
  const record = recordOf(over);
  const { current = [queues] } = queues.shards ?? {};
  const id =
    record.session === undefined
      ? current[submitted++ % current.length]!.named(newInvocationId())
      : await placeInvocation(queues, { tenant: record.tenant, session: record.session });
  await submitInvocation(queues, 'invocations', id, record);
  return id;
}
const statusOf = async (id: string) => (await readInvocation(queues, TENANT, id))?.status;
const shardsOf = (ids: readonly string[]) => new Set(ids.map(shardOfId));
const list = (after?: string, limit = 7, updatedAfter?: number) =>
  listInvocations(
    queues,
    TENANT,
    { ...(updatedAfter !== undefined && { updatedAfter }) },
    { limit, ...(after !== undefined && { after }) },
  );

describe('Eight shards', () => {
  it('Submissions without session and key come to all shards in turn, and all of them run with one set of slots', async () => {
    const ids: string[] = [];
    while (ids.length < 24 || (shardsOf(ids).size < 8 && ids.length < 5_000)) {
      ids.push(await placeInvocation(queues, { tenant: TENANT }));
      await submitInvocation(queues, 'invocations', ids.at(-1)!, recordOf());
    }
    expect(shardsOf(ids).size).toBe(8);
    let [running, most] = [0, 0];
    await serve(async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running--;
      return succeed();
    }, 3);
    await eventually(async () => (await Promise.all(ids.map(statusOf))).every((status) => status === 'succeeded'));
    expect(most).toBeLessThanOrEqual(3);
  });

  it('The jobs that wait in one shard are taken by one call, although each shard leaves slots to the others', async () => {
    const shard = queues.shards?.current[0] ?? queues;
    const ids = Array.from({ length: 48 }, () => shard.named(newInvocationId()));
    await submitInvocations(
      queues,
      ids.map((id) => ({ queue: 'invocations', id, record: recordOf() })),
    );
    let [running, letGo] = [0, () => {}];
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await serve(async () => {
      running++;
      await held;
      return succeed();
    }, 400);
    await eventually(() => running === ids.length, 'all jobs run');
    // The token of a lock names the call that took the job.
    const tokens = await shard.redis.mget(ids.map((id) => keysOf(shard.redis).lock('invocations', id)));
    letGo();
    expect(tokens).not.toContain(null);
    expect(new Set(tokens).size).toBe(1);
  });

  it('A session, and a key without a session, always come to the same shard', async () => {
    const bySession = await Promise.all(Array.from({ length: 5 }, () => submit({ session: 's' })));
    expect(shardsOf(bySession).size).toBe(1);
    const place = () => placeInvocation(queues, { tenant: TENANT, key: 'k' });
    expect(shardsOf([await place(), await place()]).size).toBe(1);
  });

  it('A key finds its invocation in the shard of another session, and refuses another body', async () => {
    const claim = async (session: string, body: string) => {
      const id = await placeInvocation(queues, { tenant: TENANT, session, key: 'k' });
      const [claimed] = await claimKeys(queues, [{ tenant: TENANT, key: 'k', body, id }]);
      return claimed;
    };
    for (const session of ['a', 'b', 'c', 'd']) {
      const first = await claim(session, session === 'a' ? 'body' : 'other');
      if (session !== 'a') {
        expect(first).toBe('other body');
        continue;
      }
      if (!first || first === 'other body') throw new Error('The first claim was refused');
      const record = recordOf({ session });
      await enqueueInvocation(queues, { queue: 'invocations', id: first.id, record, claim: first.claim });
      expect(await claim('b', 'body')).toMatchObject({ id: first.id, isNew: false, wasEnqueued: true });
      expect(await readClaim(queues, { tenant: TENANT, key: 'k' })).toBe(first.id);
    }
  });

  it('Pages of a list have each invocation of all shards once, the newest first', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 30; n++) ids.push(await submit());
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const { items, next } = await list(after);
      seen.push(...items.map(({ id }) => id));
      after = next;
    } while (after !== undefined);
    expect(seen).toEqual(ids.toSorted().toReversed());
    expect(await countInvocations(queues, TENANT, {})).toEqual({ value: 30, exact: true });
  });

  it('A list by changes gives each change of all shards, also those that come later', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) ids.push(await submit());
    const read = async (from?: string): Promise<{ found: string[]; position: string | undefined }> => {
      const found: string[] = [];
      let position = from;
      for (;;) {
        const { items, next } = await list(position, 6, 0);
        found.push(...items.map(({ id }) => id));
        if (next === undefined) return { found, position };
        position = next;
      }
    };
    const first = await read();
    expect(first.found.toSorted()).toEqual(ids.toSorted());
    const changed = ids.filter((_, n) => n % 3 === 0);
    for (const id of changed) expect(await cancelInvocation(queues, TENANT, id)).toBe('cancelled');
    const second = await read(first.position);
    expect(second.found.toSorted()).toEqual(changed.toSorted());
  });

  it('A batch over all shards counts each of its invocations', async () => {
    const id = placeBatch(queues, TENANT, undefined);
    const own: string[] = [];
    for (let n = 0; n < 10; n++) own.push(await submit({ batch: id }));
    const others = [await submit(), await submit()];
    await storeBatch(queues, { id, tenant: TENANT, own, others, refused: 2, noAction: 1, delayMs: 0 });
    const batch = await readBatch(queues, TENANT, id);
    expect(batch?.counts).toMatchObject({ queued: 12, refused: 2, no_action: 1 });
    expect(batch?.open.toSorted()).toEqual([...own, ...others].toSorted());
    expect(await readBatch(queues, 'another', id)).toBeUndefined();
  });

  it('An invocation that waits for one of another shard is woken, also by a process that starts after the end', async () => {
    const target = await submit();
    let waiter = await submit();
    while (shardOfId(waiter) === shardOfId(target)) waiter = await submit();
    const seen: Work[] = [];
    const suspend = suspendOnce(undefined, 'time', seen);
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await serve(async (work) => {
      if (work.id === waiter) return suspend(work);
      if (work.id === target) await held;
      return succeed();
    });
    await eventually(() => seen.length === 1);
    await addWaiter(queues, target, waiter);
    letGo();
    await eventually(async () => (await statusOf(target)) === 'succeeded');
    expect(await statusOf(waiter)).toBe('running');
    const sweep = await openSweep();
    await eventually(async () => (await statusOf(waiter)) === 'succeeded');
    await sweep.close();
    expect(await keysLike('*:far-waiters')).toEqual([]);
  });

  it('A note of an earlier wait that is removed late leaves that of the next one', async () => {
    const targets = [await submit(), await submit()];
    let waiter = await submit();
    const isFar = () => targets.every((id) => shardOfId(id) !== shardOfId(waiter));
    while (!isFar()) waiter = await submit();
    const noted: string[] = [];
    for (const target of targets) {
      await addWaiter(queues, target, waiter);
      noted.push(
        ...(await queues.shardOf(target).redis.smembers(keysOf(queues.shardOf(target).redis).waiters(target))),
      );
    }
    expect(new Set(noted).size).toBe(2);
    expect(noted.map(waiterIn)).toEqual([waiter, waiter]);
  });

  it('A shard that is lost holds up neither the waiters of the others nor the end of a process', async () => {
    const target = await submit();
    let waiter = await submit();
    while (shardOfId(waiter) === shardOfId(target)) waiter = await submit();
    const seen: Work[] = [];
    const suspend = suspendOnce(undefined, 'time', seen);
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await serve(async (work) => {
      if (work.id === waiter) return suspend(work);
      await held;
      return succeed();
    });
    await eventually(() => seen.length === 1);
    await addWaiter(queues, target, waiter);
    const patient = connectQueues(server.url, RETENTION);
    openShards(server.url, 'patient', patient, [{ count: 8, since: 0 }]);
    const others = [target, waiter].map((id) => patient.shardOf(id));
    const lost = patient.shards?.all.find((shard) => shard !== patient && !others.includes(shard)) ?? patient;
    await Promise.all((patient.shards?.all ?? []).map(({ redis }) => redis.ping()));
    // Its connection is ready, and answers no later command.
    lost.redis.blpop('never', 0).catch(() => {});
    const sweep = await openSweep(patient);
    await eventually(() => (Reflect.get(lost.redis, 'commandQueue') as { length: number }).length > 1);
    letGo();
    await eventually(async () => (await statusOf(waiter)) === 'succeeded');
    lost.redis.disconnect();
    await sweep.close();
    await patient.shards?.close();
    await patient.close();
  });

  it('Each shard has its part of the bounds, also after the number of shards has grown', async () => {
    const several = connectQueues(server.url, RETENTION, { waiting: 80, delayed: 0 });
    openShards(server.url, 'commands', several, [{ count: 8, since: 0 }]);
    const shard = several.shards?.current[0];
    expect([shard?.bounds.waiting, shard?.bounds.delayed, shard?.retention.count]).toEqual([10, 0, 1_000]);
    several.shards?.follow([
      { count: 8, since: 0 },
      { count: 16, since: 1 },
    ]);
    expect([shard?.bounds.waiting, shard?.retention.count]).toEqual([5, 500]);
    expect(several.shards?.current[15]?.bounds.waiting).toBe(5);
    await several.shards?.close();
    await several.close();
  });

  it('Queues, tenants and weights are those of all shards', async () => {
    for (let n = 0; n < 16; n++) await submit({ tenant: n % 2 === 0 ? 'a' : 'b' });
    await setWeight(queues, 'a', 3);
    expect(await readWeight(queues, 'a')).toBe(3);
    expect(await queueNames(queues)).toEqual(['invocations', 'scripts', 'deliveries']);
    const shown = await readQueue(queues, 'invocations', EVERY_TENANT);
    expect(shown).toMatchObject({ waiting: 16, active: 0 });
    expect(shown.tenants.map(({ tenant, waiting }) => `${tenant} ${waiting}`).toSorted()).toEqual(['a 8', 'b 8']);
  });

  it('Each tenant is on one page with its work of all shards', async () => {
    const names = Array.from({ length: 60 }, (_, n) => `tenant-${n}`);
    for (const tenant of [...names, ...names.slice(0, 20)]) await submit({ tenant });
    const waiting: [tenant: string, count: number][] = [];
    let pages = 0;
    for (let cursor: string | null = '0'; cursor !== null; pages++) {
      const page: ShownQueue = await readQueue(queues, 'invocations', EVERY_TENANT, { cursor, limit: 10 });
      expect(page.waiting).toBe(80);
      waiting.push(...page.tenants.map((one): [string, number] => [one.tenant, one.waiting]));
      cursor = page.nextCursor;
    }
    expect(pages).toBeGreaterThan(3);
    expect(waiting).toHaveLength(60);
    expect(Object.fromEntries(waiting)).toEqual(Object.fromEntries(names.map((name, n) => [name, n < 20 ? 2 : 1])));
    const own = await readQueue(queues, 'invocations', 'tenant-7');
    expect(own).toMatchObject({ waiting: 2, nextCursor: null, tenants: [{ tenant: 'tenant-7', waiting: 2 }] });
    const forged = await readQueue(queues, 'invocations', EVERY_TENANT, { cursor: '2047', limit: 10 });
    expect(forged).toMatchObject({ waiting: 80, tenants: [], nextCursor: null });
  });

  it('A page of tenants asks all shards at the same time', async () => {
    await submit({ tenant: 'a' });
    const all = queues.shards?.all ?? [];
    await Promise.all(all.map(({ redis }) => redis.ping()));
    process.kill(server.pid, 'SIGSTOP');
    const page = readQueue(queues, 'invocations', EVERY_TENANT).catch((error: unknown) => error);
    // Each connection has a command without an answer.
    const isAsked = ({ redis }: Queues) => (Reflect.get(redis, 'commandQueue') as { length: number }).length > 0;
    await eventually(() => all.every(isAsked)).finally(() => process.kill(server.pid, 'SIGCONT'));
    await page;
    const { tenants } = await readQueue(queues, 'invocations', EVERY_TENANT);
    expect(tenants.map(({ tenant }) => tenant)).toEqual(['a']);
  });

  it('An effect of a session happens once, whichever process asks', async () => {
    const effect = { tenant: TENANT, session: 's', toolId: 'test:tool', arguments: {} };
    const steps = [
      { invocationId: newInvocationId(), step: 0 },
      { invocationId: newInvocationId(), step: 0 },
    ] as const;
    expect(await claimEffect(queues, effect, steps[0])).toEqual(steps[0]);
    expect(await claimEffect(queues, effect, steps[1])).toEqual(steps[0]);
  });

  it('A forged id of a shard that does not exist, or of another shard, finds nothing', async () => {
    const id = await submit();
    const bare = id.slice(0, -3);
    const other = shardOfId(id) === 1 ? 'u02' : 'u01';
    for (const forged of [bare, `${bare}uzz`, bare + other]) {
      expect(await readInvocation(queues, TENANT, forged)).toBeUndefined();
      expect(await cancelInvocation(queues, TENANT, forged)).toBeUndefined();
    }
  });
});

const keysLike = (pattern: string) => queues.redis.keys(pattern);
