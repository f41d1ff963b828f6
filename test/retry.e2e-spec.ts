import type { Invocation } from '@errand/contracts';
import { REVIEW_LIBRARY } from './support/review-library.js';
import { useStack } from './support/start-stack.js';

const { client } = useStack({ with: ['worker'], env: { ERRAND_WORKER_CONCURRENCY: '4' }, library: REVIEW_LIBRARY });

describe('POST /v1/invocations/:id/retry', () => {
  const fail = async () => client.invoke({ toolId: 'workflow:chain', arguments: {}, metadata: { who: 'me' } });
  const nodeOf = ({ steps }: Invocation, id: string) => steps[0]!.nodes!.find(({ nodeId }) => nodeId === id)!;

  it('A repair continues from the failed node with changed inputs and keeps the succeeded nodes', async () => {
    const failed = await fail();
    expect(failed).toMatchObject({ status: 'failed', error: { type: 'NodeError' } });
    const { status, headers, body } = await client.retry(failed.id, { steps: { broken: { inputs: { by: 2 } } } });
    expect(status).toBe(202);
    expect(body.id).not.toBe(failed.id);
    expect(headers.get('location')).toBe(`/v1/invocations/${body.id}`);
    const ended = await client.untilEnded(body.id);
    expect(ended).toMatchObject({
      status: 'succeeded',
      metadata: { who: 'me' },
      retryOf: { invocationId: failed.id, steps: { broken: { inputs: { by: 2 } } } },
    });
    expect(nodeOf(ended, 'first').result).toEqual(nodeOf(failed, 'first').result);
    expect(ended.result).toBe((nodeOf(failed, 'first').result as { count: number }).count / 2);
    expect(await client.read(failed.id)).toMatchObject({ status: 'failed', retriedBy: [body.id] });
  });

  it('A repair re-runs a succeeded node with changed inputs and all nodes that depend on it', async () => {
    const failed = await fail();
    const { body } = await client.retry(failed.id, {
      steps: { first: { inputs: { value: 1 } }, broken: { inputs: { by: 5 } } },
    });
    const ended = await client.untilEnded(body.id);
    expect(ended.status).toBe('succeeded');
    expect(nodeOf(ended, 'first').result).not.toEqual(nodeOf(failed, 'first').result);
  });

  it('A repair without changes runs the same again', async () => {
    const { body } = await client.retry((await fail()).id);
    expect(await client.untilEnded(body.id)).toMatchObject({
      status: 'failed',
      retryOf: expect.not.objectContaining({ steps: {} }),
    });
  });

  it('Repairs with the same idempotency key create one invocation, and Prefer: wait waits for its end', async () => {
    const failed = await fail();
    const ask = (steps: object, headers: Record<string, string> = {}) =>
      client.post(`/v1/invocations/${failed.id}/retry`, { steps }, { 'idempotency-key': failed.id, ...headers });
    const mended = { broken: { inputs: { by: 2 } } };
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => ask(mended)));
    expect(first!.status).toBe(202);
    expect(others.map(({ body }) => body.id)).toEqual(Array(4).fill(first!.body.id));
    expect(await ask(mended, { prefer: 'wait=20' })).toMatchObject({
      status: 200,
      body: { id: first!.body.id, status: 'succeeded' },
    });
    expect(await ask({})).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect((await client.read(failed.id)).retriedBy).toEqual([first!.body.id]);
  });

  it('A repair of a sequence keeps the succeeded steps and takes other arguments for the failed step', async () => {
    const failed = await client.invoke({
      calls: [
        { toolId: 'core:random', arguments: {} },
        { toolId: 'core:math', arguments: { op: 'divide', a: 8, b: 0 } },
        { toolId: 'core:echo', arguments: { value: '{{steps.2.result}}' } },
      ],
    });
    const { body } = await client.retry(failed.id, { steps: { '1': { inputs: { b: 4 } } } });
    const ended = await client.untilEnded(body.id);
    expect(ended.result).toEqual([failed.steps[0]!.result, 2, 2]);
    expect(ended.steps[1]!.arguments).toMatchObject({ op: 'divide', a: 8, b: 4 });
    expect((await client.retry(ended.id)).status).toBe(409);
  });

  it('A repair of a cancelled invocation does not ask again for answers that it has', async () => {
    const id = await client.submit({ toolId: 'workflow:two', arguments: {} });
    await client.until(id, ({ steps }) => steps[0]!.nodes?.filter(({ waiting }) => waiting).length === 2);
    await client.answer(id, { result: 'a', nodeId: 'one' });
    await client.until(id, ({ steps }) =>
      steps[0]!.nodes!.some(({ nodeId, status }) => nodeId === 'one' && status === 'succeeded'),
    );
    await client.cancel(id);
    const { body } = await client.retry(id);
    await client.until(body.id, ({ steps }) => steps[0]!.nodes?.some(({ waiting }) => waiting) ?? false);
    await client.answer(body.id, { result: 'b' });
    expect((await client.untilEnded(body.id)).result).toBe('a+b');
  });

  it('A repair with unknown or invalid names is refused with a suggestion', async () => {
    const failed = await fail();
    const wrong = await client.retry(failed.id, { steps: { brokn: { inputs: {} }, broken: { inputs: { bye: 1 } } } });
    expect(wrong.status).toBe(422);
    expect(wrong.body.errors).toMatchObject([
      { path: '/steps/brokn', suggestion: 'broken' },
      { path: '/steps/broken/inputs/bye', suggestion: 'by' },
    ]);
    expect((await client.retry(failed.id, { steps: { broken: { input: {} } } })).status).toBe(422);
    const sum = await client.invoke({ toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 } });
    expect(await client.retry(sum.id, { steps: { '0': { inputs: { b: 'four' } } } })).toMatchObject({
      status: 422,
      body: { code: 'invalid_parameters', errors: [{ path: '/steps/0/inputs/b' }] },
    });
    expect((await client.retry(sum.id, { stepps: {} })).status).toBe(400);
    expect((await client.retry('inv_00000000000000000000000000')).status).toBe(404);
    const running = await client.submit({ toolId: 'core:delay', arguments: { ms: 60_000 } });
    expect(await client.retry(running)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    await client.cancel(running);
  });
});
