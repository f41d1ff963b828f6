import type { Stats } from '@errand/contracts';
import { useStack } from './support/start-stack.js';

/** Kills a real process while it runs invocations. */
describe('Statistics over kills', () => {
  const stack = useStack();

  async function totalOf(metric: string, more = ''): Promise<number> {
    const { body } = await stack.client.get<Stats>(`/v1/stats?metric=${metric}${more}`);
    return body.series.flatMap(({ points }) => points).reduce((sum, [, value]) => sum + value, 0);
  }

  it('The counts of an hour are the true ones after a kill of a worker with running jobs', async () => {
    const { client, processes } = stack;
    const doomed = await processes.start('worker');
    const delays = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        client.submit({ toolId: 'core:delay', arguments: { ms: 100 * n, value: n } }),
      ),
    );
    const failing = await client.submit({ toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 } });
    await client.untilEnded(delays[0] ?? '');
    await processes.end(doomed);
    await processes.start('worker');
    for (const id of [...delays, failing]) await client.untilEnded(id);
    expect(await totalOf('accepted')).toBe(21);
    expect(await totalOf('ended')).toBe(21);
    expect(await totalOf('failed')).toBe(1);
    expect(await totalOf('ended', '&by=tool')).toBe(21);
  });
});

describe('Statistics of several shards', () => {
  const stack = useStack({ with: ['worker'], env: { ERRAND_SHARDS: '4' } });

  it('The counts are those of all shards', async () => {
    const { client } = stack;
    const ids = await Promise.all(
      Array.from({ length: 12 }, (_, n) => client.submit({ toolId: 'core:echo', arguments: { value: n } })),
    );
    for (const id of ids) await client.untilEnded(id);
    const { body } = await client.get<Stats>('/v1/stats?metric=ended&by=outcome');
    const [succeeded] = body.series;
    expect(body.series).toHaveLength(1);
    expect(succeeded?.labels).toEqual({ outcome: 'succeeded' });
    expect(succeeded?.points.reduce((sum, [, count]) => sum + count, 0)).toBe(12);
    expect((await client.get('/v1/tools/core:echo/stats')).body).toMatchObject({ calls: 12, failed: 0 });
  });
});
