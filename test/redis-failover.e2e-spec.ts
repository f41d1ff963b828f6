import { randomUUID } from 'node:crypto';
import { eventually } from './support/eventually.js';
import { readEventStream } from './support/client.js';
import { useStack } from './support/start-stack.js';
import { freePort } from './support/start-redis.js';

const PLUGIN = `
name: review
displayName: Review
version: 1.0.0
description: Asks people.
tools:
  - id: review:ask
    displayName: Ask
    description: Asks a person.
    parameters: { type: object, properties: {} }
    implementation: { type: external }
`;
const CLIENTS = 4;

interface Readiness {
  ready: boolean;
  checks: Record<string, string>;
}

describe.each(['sentinels', 'cluster'] as const)('Errand on %s whose primary is killed under load', (redis) => {
  const stack = useStack({
    redis,
    library: { 'plugins/review/plugin.yaml': PLUGIN },
    // With several shards, the API stays ready: test/cluster-changes.e2e-spec.ts.
    env: { ERRAND_REDIS_MIN_REPLICAS: '1', ERRAND_SHARDS: '1' },
  });
  const { client } = stack;
  const ready = () => client.get<Readiness>('/readyz');

  /** Submits calls one after the other, each with its key until it is accepted. Returns the accepted ids. */
  async function submitUntil(signal: AbortSignal, accepted: string[]): Promise<void> {
    while (!signal.aborted) {
      const key = { 'idempotency-key': randomUUID() };
      accepted.push(
        await eventually(async () => {
          const { status, body } = await client.post(
            '/v1/invocations',
            { toolId: 'core:echo', arguments: { value: 1 } },
            key,
          );
          expect([202, 503]).toContain(status);
          return status === 202 && body.id;
        }),
      );
    }
  }

  /** The invocations that a worker has run, from its metrics. */
  async function runsOf(port: string): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return Number(/^errand_invocations_ended_total\{[^}]*outcome="succeeded"\} (\d+)/m.exec(text)?.[1] ?? 0);
  }

  it('Every acknowledged invocation ends, the stream goes on, and every worker takes jobs again without a restart', async () => {
    const ports = [String(await freePort()), String(await freePort())];
    for (const port of ports)
      await stack.processes.start('worker', { ERRAND_HEALTH_PORT: port, ERRAND_WORKER_CONCURRENCY: '2' });
    const asking = await client.submit({ toolId: 'review:ask', arguments: {} });
    await client.untilWaiting(asking);
    const stream = readEventStream(`${stack.url}/v1/invocations/${asking}/events`);
    const stop = new AbortController();
    const accepted: string[] = [];
    const load = Array.from({ length: CLIENTS }, () => submitUntil(stop.signal, accepted));
    await eventually(() => accepted.length > 50);

    await stack.redis.kill();
    const away = await eventually(async () => {
      const { status, body } = await ready();
      return status === 503 && body;
    });
    expect(away.checks['redis']).not.toBe('ok');
    const before = accepted.length;
    // The killed server comes back as a replica, after another one has become the primary.
    await eventually(
      async () => (await ready()).body.checks['redis']?.startsWith('fewer than') || (await ready()).body.ready,
    );
    await stack.redis.restart();
    await eventually(async () => (await ready()).status === 200);
    await eventually(() => accepted.length > before + 50);
    const runs = await Promise.all(ports.map(runsOf));
    await eventually(async () => (await Promise.all(ports.map(runsOf))).every((now, n) => now > runs[n]! + 5));
    stop.abort();
    await Promise.all(load);

    for (const id of accepted) expect((await client.untilEnded(id)).status).toBe('succeeded');
    expect((await client.answer(asking, { result: 'yes' })).status).toBe(202);
    expect((await stream).at(-1)).toMatchObject({ event: 'end', data: { invocation: { result: 'yes' } } });
    const { body } = await ready();
    expect(body.checks).toMatchObject({ redis: 'ok', workers: 'ok' });
  });
});
