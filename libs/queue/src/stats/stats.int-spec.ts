import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { newInvocationId, ToolError, type StatsDimension, type StatsMetric } from '@errand/contracts';
import { eventually } from '../../../../test/support/eventually.js';
import { recordOf, succeed, suspendOnce, useQueues } from '../../test/use-queues.js';
import {
  AttemptFailed,
  cancelInvocation,
  EVERY_TENANT,
  readStats,
  readToolStats,
  readToolUses,
  RefusalCounts,
  submitInvocations,
} from '../index.js';
import { keys } from '../redis/names.js';
import { StatsSweep } from './stats-sweep.js';

const kit = useQueues({ each: true });
const HOUR_MS = 3_600_000;

/** The sum of the points of each series in the last hour, by its label. */
async function sums(metric: StatsMetric, by?: StatsDimension, tenant = 'default', reach: string | symbol = tenant) {
  const to = Date.now() + 1;
  const scope = { tenant, reach: reach as typeof EVERY_TENANT };
  const { series } = await readStats(kit.queues, scope, { metric, by, from: to - HOUR_MS, to });
  return Object.fromEntries(
    series.map(({ labels, points }) => [
      by ? String(labels[by]) : 'all',
      points.reduce((sum, [, value]) => sum + value, 0),
    ]),
  );
}

/** The fields of the bucket of today. */
async function fieldsOfDay(): Promise<string[]> {
  // A read moves the entries that are kept as text to the fields.
  await readToolUses(kit.queues, 'default');
  const [bucket = ''] = await kit.queues.redis.keys('{errand}:stats:default:86400:*');
  return kit.queues.redis.hkeys(bucket);
}

const fail = async () => {
  throw new AttemptFailed(new ToolError('ScriptError', 'no'), undefined);
};

describe('Statistics of invocations', () => {
  it('A batch has one entry in the log for each time and tool, which counts its acceptances', async () => {
    const at = Date.now();
    const invocations = Array.from({ length: 100 }, (_, n) => ({
      queue: 'invocations' as const,
      id: newInvocationId(at),
      record: recordOf({}, n < 60 ? {} : { toolId: 'test:other' }),
    }));
    await submitInvocations(kit.queues, invocations);
    const log = await kit.queues.redis.lrange(keys.statsLog, 0, -1);
    expect(new Set(log.map((entry) => entry.split(' ', 2)[1]))).toEqual(new Set(['40', '60']));
    expect(log).toHaveLength(2);
    expect(await sums('accepted', 'tool')).toMatchObject({ 'test:other': 40 });
    expect(await sums('accepted')).toEqual({ all: 100 });
  });

  it('Acceptances and ends are counted once each, by queue, tool, agent, outcome and error type', async () => {
    const ids = [
      await kit.submit({}, { agent: 'ada' }),
      await kit.submit({}, { agent: 'ada' }),
      await kit.submit({}, recordOf({}, { toolId: 'test:other' })),
      await kit.submit({}, { tenant: 'acme' }),
    ];
    expect(await sums('accepted')).toEqual({ all: 3 });
    expect(await sums('ended')).toEqual({ all: 0 });
    await kit.serve('invocations', async (work) =>
      work.record.calls[0]?.toolId === 'test:other' ? fail() : succeed(),
    );
    await kit.until(ids[2] ?? '', 'failed');
    for (const id of ids.slice(0, 2)) await kit.until(id, 'succeeded');
    expect(await sums('ended')).toEqual({ all: 3 });
    expect(await sums('failed')).toEqual({ all: 1 });
    expect(await sums('accepted', 'agent')).toEqual({ ada: 2, null: 1 });
    expect(await sums('ended', 'tool')).toEqual({ 'test:tool': 2, 'test:other': 1 });
    expect(await sums('ended', 'outcome')).toMatchObject({ succeeded: 2, failed: 1 });
    expect(await sums('failed', 'errorType')).toMatchObject({ ScriptError: 1 });
    expect(await sums('accepted', 'queue')).toEqual({ invocations: 3 });
    expect(await sums('accepted', undefined, 'acme')).toEqual({ all: 1 });
  });

  it('An invocation counts under each of its tools, and once in the whole', async () => {
    const [call] = recordOf().calls;
    if (!call) throw new Error('no call');
    const calls = ['a:one', 'b:two', 'a:one'].map((toolId) => ({ ...call, toolId }));
    const id = await kit.submit({}, { calls });
    await kit.serve('invocations', succeed);
    await kit.until(id, 'succeeded');
    expect(await sums('ended')).toEqual({ all: 1 });
    expect(await sums('ended', 'tool')).toEqual({ 'a:one': 1, 'b:two': 1 });
  });

  it('Retries, suspensions and cancel requests count one end each', async () => {
    let starts = 0;
    const retried = await kit.submit({ attempts: 3, backoff: { type: 'fixed', delayMs: 1 } });
    const consumer = await kit.serve('invocations', async () => {
      if (++starts < 2) throw new AttemptFailed(new ToolError('ServiceError', 'again'), 1);
      return succeed();
    });
    await kit.until(retried, 'succeeded');
    await consumer.close();
    await kit.serve('invocations', suspendOnce(Date.now(), 'time'));
    const suspended = await kit.submit();
    await kit.until(suspended, 'succeeded');
    const waiting = await kit.submit({ delayMs: HOUR_MS });
    await cancelInvocation(kit.queues, 'default', waiting);
    await kit.until(waiting, 'cancelled');
    expect(await sums('accepted')).toEqual({ all: 3 });
    expect(await sums('ended', 'outcome')).toMatchObject({ succeeded: 2, cancelled: 1 });
    expect(await sums('failed')).toEqual({ all: 0 });
  });

  it('The wait for the first start does not count the delay of the submission', async () => {
    const delayed = await kit.submit({ delayMs: 300 });
    await kit.serve('invocations', async () => {
      await sleep(20);
      return succeed();
    });
    await kit.until(delayed, 'succeeded');
    const log = await kit.queues.redis.lrange(keys.statsLog, 0, -1);
    const [at = '', waited = ''] = log.at(-1)?.split(' ') ?? [];
    expect(log.at(-1)).toContain('"ended"');
    const { createdAt } = await kit.until(delayed, 'succeeded');
    expect(Number(waited)).toBeLessThanOrEqual(Number(at) - Date.parse(createdAt) - 300);
    expect(Object.keys(await sums('waitP50Ms'))).toEqual(['all']);
    expect((await sums('runP95Ms')).all).toBeGreaterThanOrEqual(16);
  });

  it('A tenant has at most 200 tools in a bucket, and the rest is counted as other', async () => {
    const toolIds = Array.from({ length: 250 }, (_, n) => `test:tool-${n}`);
    await Promise.all(toolIds.map((toolId) => kit.submit({}, recordOf({}, { toolId }))));
    const byTool = await sums('accepted', 'tool');
    expect(Object.keys(byTool)).toHaveLength(21);
    expect(Object.values(byTool).reduce((sum, count) => sum + count, 0)).toBe(250);
    expect(await sums('accepted')).toEqual({ all: 250 });
    const fields = await fieldsOfDay();
    expect(fields.filter((field) => field.startsWith('t:'))).toHaveLength(200);
    expect(fields).toContain('t*');
  });

  it('Each bucket and the log have a lifetime', async () => {
    await kit.submit();
    expect(await kit.queues.redis.ttl(keys.statsLog)).toBeGreaterThan(29 * 86_400);
    await sums('accepted');
    expect(await kit.queues.redis.exists(keys.statsLog)).toBe(0);
    const buckets = await kit.queues.redis.keys('{errand}:stats:*');
    expect(new Set(buckets.map((name) => name.split(':')[3]))).toEqual(new Set(['10', '60', '86400', '900']));
    for (const name of buckets) {
      const seconds = Number(name.split(':')[3]);
      const kept = { 10: 3_600, 60: 172_800 }[seconds] ?? 2_592_000;
      expect(await kit.queues.redis.ttl(name)).toBeLessThanOrEqual(kept + seconds + 120);
      expect(await kit.queues.redis.ttl(name)).toBeGreaterThan(kept);
    }
  });

  it('A long log is folded by the scripts that add to it, without a sweep', async () => {
    const what = { kind: 'accepted', tenant: 'default', queue: 'scripts', tools: ['a:b'] };
    const text = `${Date.now()} - - ${JSON.stringify(what)}`;
    await kit.queues.redis.rpush(keys.statsLog, ...Array.from({ length: 10_000 }, () => text));
    await kit.submit();
    expect(await kit.queues.redis.llen(keys.statsLog)).toBe(9_501);
    expect(await sums('accepted')).toEqual({ all: 10_001 });
  });

  it('One call folds at most 100 different entries, and leaves the others in their order', async () => {
    const entryOf = (n: number) => {
      const what = { kind: 'accepted', tenant: `tenant-${n}`, queue: 'scripts', tools: ['a:b'] };
      return `${Date.now()} - - ${JSON.stringify(what)}`;
    };
    await kit.queues.redis.rpush(keys.statsLog, ...Array.from({ length: 10_000 }, (_, n) => entryOf(n)));
    await kit.submit();
    expect(await kit.queues.redis.llen(keys.statsLog)).toBe(9_901);
    expect(await kit.queues.redis.lindex(keys.statsLog, 0)).toContain('"tenant-100"');
    for (const tenant of ['tenant-0', 'tenant-9999', 'default'])
      expect(await sums('accepted', undefined, tenant)).toEqual({ all: 1 });
  });

  const entryOf = (tenant: string, at: number) =>
    `${at} 5 7 ${JSON.stringify({ kind: 'ended', tenant, queue: 'scripts', tools: ['a:b'], outcome: 'failed' })}`;
  const fold = async (...entries: string[]) => {
    await kit.queues.redis.rpush(keys.statsLog, ...entries);
    await new StatsSweep(kit.queues).sweep(0);
  };
  const textsOf = (tenant: string) => kit.queues.redis.keys(`{errand}:stats-text:${tenant}:*`);
  const bucketsOf = (tenant: string) => kit.queues.redis.keys(`{errand}:stats:${tenant}:*`);

  it('A few entries wait as text until somebody reads them, and many come to their buckets at once', async () => {
    const now = Date.now();
    const several = (tenant: string, count: number) => Array.from({ length: count }, () => entryOf(tenant, now));
    await fold(...several('little', 3));
    expect(await textsOf('little')).toHaveLength(1);
    expect(await bucketsOf('little')).toEqual([]);
    await fold(...several('busy', 300));
    expect(await textsOf('busy')).toEqual([]);
    let steady = 0;
    do {
      await fold(...several('steady', 8));
      steady += 8;
    } while ((await textsOf('steady')).length > 0);
    expect(steady * entryOf('steady', now).length).toBeGreaterThan(4_000);
    await fold(...several('steady', 1));
    expect(await textsOf('steady')).toHaveLength(1);
    for (const [tenant, count] of Object.entries({ little: 3, busy: 300, steady: steady + 1 })) {
      expect(await sums('failed', 'tool', tenant)).toEqual({ 'a:b': count });
      expect(await readToolStats(kit.queues, tenant, 'a:b')).toMatchObject({ failed: count });
      expect(await textsOf(tenant)).toEqual([]);
    }
  });

  it('Entries of several times of a text come to the buckets of their times', async () => {
    const now = Date.now();
    const times = [0, 5_000, 65_000, HOUR_MS / 2, 3 * HOUR_MS, 50 * HOUR_MS].map((ago) => now - ago);
    await fold(...times.map((at) => entryOf('little', at)));
    const texts = await textsOf('little');
    expect(texts).toHaveLength(new Set(times.map((at) => Math.floor(at / 86_400_000))).size);
    for (const text of texts) expect(await kit.queues.redis.ttl(text)).toBeGreaterThan(20 * 86_400);
    expect(await sums('failed', 'tool', 'little')).toEqual({ 'a:b': 4 });
    expect(await readToolStats(kit.queues, 'little', 'a:b')).toMatchObject({ failed: 6 });
    // The buckets of 10 s are kept for an hour, those of a minute for two days.
    const lengths = (await bucketsOf('little')).map((name) => Number(name.split(':')[3]));
    const begins = (seconds: number, kept: number) =>
      new Set(times.slice(0, kept).map((at) => Math.floor(at / 1_000 / seconds))).size;
    for (const [seconds, kept] of [
      [10, 4],
      [60, 5],
      [900, 6],
      [86_400, 6],
    ] as const)
      expect(lengths.filter((each) => each === seconds)).toHaveLength(begins(seconds, kept));
  });

  it('Entries of more tenants than one call takes are each kept once', async () => {
    const now = Date.now();
    const day = Math.floor(now / 86_400_000) * 86_400;
    const tenants = Array.from({ length: 250 }, (_, n) => `many-${n}`);
    await fold(...tenants.map((tenant) => entryOf(tenant, now)));
    const texts = await kit.queues.redis.mget(...tenants.map((tenant) => keys.statsText(tenant, day)));
    expect(texts).toEqual(tenants.map((tenant) => `${entryOf(tenant, now)}\n`));
  });

  it('One call moves at most 10 long texts to their buckets, and the next calls the others', async () => {
    const now = Date.now();
    const tenants = Array.from({ length: 25 }, (_, n) => `tenant-${n}`);
    const long = `${entryOf('x', now)}\n`.repeat(60);
    const day = Math.floor(now / 86_400_000) * 86_400;
    for (const tenant of tenants)
      await kit.queues.redis.set(keys.statsText(tenant, day), long.replaceAll('"x"', `"${tenant}"`));
    const left = [];
    for (let call = 0; call < 3; call++) {
      await fold(...tenants.map((tenant) => entryOf(tenant, now)));
      left.push((await kit.queues.redis.keys('{errand}:stats-text:tenant-*')).length);
    }
    expect(left[0]).toBe(15);
    for (const tenant of tenants) expect(await sums('failed', 'tool', tenant)).toEqual({ 'a:b': 63 });
  });

  it('An entry with more tools than one command takes is folded', async () => {
    const tools = Array.from({ length: 9_000 }, (_, n) => `tool:${n}`);
    const what = { kind: 'accepted', tenant: 'default', queue: 'scripts', tools };
    await kit.queues.redis.rpush(keys.statsLog, `${Date.now()} - - ${JSON.stringify(what)}`);
    await new StatsSweep(kit.queues).sweep();
    const counts = await sums('accepted', 'tool');
    expect(Object.keys(counts).length).toBeLessThan(300);
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(9_000);
  });

  it('A malformed entry of the log is left out, and the others count', async () => {
    const malformed = [
      '',
      'x',
      '1 2',
      '1 - - {',
      '1 - - null',
      '1 - - {"kind":"other"}',
      '1 - - {"kind":"accepted"}',
      '{"kind":"accepted"}',
    ];
    await kit.queues.redis.rpush(keys.statsLog, ...malformed);
    await kit.submit();
    expect(await sums('accepted')).toEqual({ all: 1 });
  });

  it('A sweep notes what waits, of the queues as a whole and of each tenant', async () => {
    await Promise.all([kit.submit(), kit.submit(), kit.submit({}, { tenant: 'acme' })]);
    await new StatsSweep(kit.queues).sweep();
    expect(await sums('depth', 'queue', 'default', EVERY_TENANT)).toMatchObject({ invocations: 3, scripts: 0 });
    expect(await sums('depth', undefined, 'default', EVERY_TENANT)).toEqual({ all: 3 });
    expect(await sums('depth')).toEqual({ all: 2 });
    expect(await sums('depth', 'queue', 'acme')).toEqual({ invocations: 1 });
  });
});

describe('Statistics of refusals', () => {
  const refusal = {
    tenant: 'default',
    agent: 'ada',
    code: 'invalid_parameters',
    toolIds: ['core:math'],
    parameters: [{ toolId: 'core:math', parameter: 'op', kind: 'invalid_parameters' }],
  };

  it('Refusals are counted with their tools and parameters', async () => {
    const counts = new RefusalCounts(kit.queues);
    for (let n = 0; n < 3; n++) counts.note(refusal);
    counts.note({ ...refusal, tenant: 'acme' });
    await counts.close();
    expect(await sums('refused')).toEqual({ all: 3 });
    expect(await sums('refused', 'errorType')).toEqual({ invalid_parameters: 3 });
    expect(await readToolStats(kit.queues, 'default', 'core:math')).toMatchObject({
      calls: 0,
      refusals: [{ parameter: 'op', kind: 'invalid_parameters', count: 3 }],
      lastUsedAt: null,
    });
  });

  it('A refusal counts once, also if Redis stores it and the answer is lost', async () => {
    const { redis } = kit.queues;
    const patient = redis.options.commandTimeout;
    redis.options.commandTimeout = 50;
    const counts = new RefusalCounts(kit.queues);
    const other = new Redis(kit.redis.url);
    await other.client('PAUSE', 300, 'ALL');
    other.disconnect();
    counts.note(refusal);
    await counts.close();
    redis.options.commandTimeout = patient;
    counts.note({ ...refusal, code: 'invalid_action' });
    await counts.close();
    expect(await sums('refused', 'errorType')).toEqual({ invalid_parameters: 1, invalid_action: 1 });
  });

  it('A flood of different refusals is counted to the last one, in bounded memory', async () => {
    const counts = new RefusalCounts(kit.queues);
    for (let n = 0; n < 5_000; n++)
      counts.note({ ...refusal, parameters: [{ toolId: 'core:math', parameter: `p${n}`, kind: 'x'.repeat(10) }] });
    await counts.close();
    expect(await sums('refused')).toEqual({ all: 5_000 });
    const fields = await fieldsOfDay();
    expect(fields.filter((field) => field.startsWith('p:')).length).toBeLessThanOrEqual(500);
  });
});

it('The statistics of a tool have its calls, failures, durations and error types', async () => {
  const ids = [await kit.submit(), await kit.submit(), await kit.submit()];
  let starts = 0;
  await kit.serve('invocations', async () => (++starts === 1 ? fail() : succeed()));
  await eventually(async () => {
    const { calls, failed, p50Ms } = await readToolStats(kit.queues, 'default', 'test:tool');
    return calls === 3 && failed === 1 && p50Ms !== null;
  }, 'all three have ended');
  for (const id of ids) await kit.until(id, 'succeeded', 'failed');
  const stats = await readToolStats(kit.queues, 'default', 'test:tool');
  expect(stats).toMatchObject({ calls: 3, failed: 1, errors: [{ type: 'ScriptError', count: 1 }], refusals: [] });
  expect(Date.parse(stats.lastUsedAt ?? '')).toBeLessThanOrEqual(Date.now());
  expect((await readToolUses(kit.queues, 'default')).get('test:tool')).toMatchObject({ calls: 3, failed: 1 });
  expect((await readToolUses(kit.queues, 'acme')).size).toBe(0);
});
