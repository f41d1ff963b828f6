import type { Invocation } from '@errand/contracts';
import { Client } from './support/client.js';
import { useStack } from './support/start-stack.js';

/** The worker has fewer slots than the busy tenant has jobs. These jobs must not occupy the slots. */
const stack = useStack({
  with: ['worker'],
  env: {
    ERRAND_API_KEYS: 'busy:busy-key-of-some-length quiet:quiet-key-of-some-length',
    ERRAND_WORKER_CONCURRENCY: '4',
    ERRAND_COMPUTE_THREADS: '1',
  },
});
const as = (key: string) => new Client(() => stack.url, { authorization: `Bearer ${key}` });
const [busy, quiet] = [as('busy-key-of-some-length'), as('quiet-key-of-some-length')];

const ENDLESS = {
  'an expression': {
    toolId: 'core:expression',
    arguments: {
      expression: 'l.map(a, l.map(b, l.map(c, a + b + c)))',
      data: { l: Array.from({ length: 2_000 }, () => 1) },
    },
  },
  'a condition of core:filter': {
    toolId: 'core:filter',
    arguments: { items: [`${'a'.repeat(60)}!`], condition: "item.matches('^(a+)+$')" },
  },
  'a query of core:json-path': {
    toolId: 'core:json-path',
    arguments: { value: [`${'a'.repeat(60)}!`], path: "$[?match(@, '(a+)+')]" },
  },
};
/** It ends within its time limit. All of these together take far longer than a small computation. */
const LONG = {
  toolId: 'core:expression',
  arguments: { ...ENDLESS['an expression'].arguments, data: { l: Array.from({ length: 100 }, () => 1) } },
};
const isFinal = ({ status }: Invocation) => ['succeeded', 'failed', 'cancelled'].includes(status);

/**
 * Submits `count` invocations of the busy tenant. The API may refuse some of them with 503 on a machine without spare
 * CPU time.
 */
async function keepBusy(call: object, count: number): Promise<string[]> {
  const submitted = Array.from({ length: count }, () => busy.post('/v1/invocations', call));
  const accepted = (await Promise.all(submitted)).filter(({ status }) => status === 202);
  expect(accepted.length).toBeGreaterThan(count / 2);
  return accepted.map(({ body }) => body.id);
}

async function cancelAll(ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id) => busy.cancel(id)));
  for (const id of ids) await busy.untilEnded(id);
}

describe('A tenant that keeps the computing nodes busy', () => {
  it.each(Object.entries(ENDLESS))(
    'Other tenants and /healthz get responses while 150 calls of %s run and wait',
    async (_what, call) => {
      const ids = await keepBusy(call, 150);
      for (let round = 0; round < 4; round++) {
        const echo = await quiet.invoke({ toolId: 'core:echo', arguments: { value: round } });
        expect(echo).toMatchObject({ status: 'succeeded', result: round });
        expect((await quiet.get('/healthz')).status).toBe(200);
      }
      // The busy tenant is still busy: its last call has not run yet.
      expect(isFinal(await busy.read(ids.at(-1)!))).toBe(false);
      await cancelAll(ids);
    },
  );

  it('A computation of another tenant runs next', async () => {
    const ids = await keepBusy(LONG, 60);
    const data = { l: [1, 2, 3] };
    const ended = await quiet.invoke({
      toolId: 'core:expression',
      arguments: { expression: 'l.map(x, x + 1).size()', data },
    });
    expect(ended).toMatchObject({ status: 'succeeded', result: 3 });
    expect(isFinal(await busy.read(ids.at(-1)!))).toBe(false);
    await cancelAll(ids);
  });
});
