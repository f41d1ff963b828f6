import { randomUUID } from 'node:crypto';
import { describeWithDocker } from './escapes/real-sandbox.js';
import { readEventStream } from './support/client.js';
import { useStack } from './support/start-stack.js';
import { WebhookReceiver } from './support/webhook-receiver.js';

const ECHO = { toolId: 'core:echo', arguments: { value: 'hello' } };
const TWICE = {
  nodes: [
    { id: 'a', type: 'core:echo', inputValues: { value: 1 } },
    { id: 'b', type: 'core:echo' },
    { id: 'out', type: 'core:GroupOutput' },
  ],
  edges: [
    { source: 'a', sourceHandle: 'value', target: 'b', targetHandle: 'value' },
    { source: 'b', sourceHandle: 'value', target: 'out', targetHandle: 'value' },
  ],
  interfaceOutputs: { value: { dataFlowType: 'WILDCARD' } },
};

describe.each(['sentinels', 'cluster'] as const)('Errand on %s', (redis) => {
  const stack = useStack({
    redis,
    with: ['worker'],
    library: {
      'workflows/twice.json': TWICE,
      'scripts/add.py': 'import json, sys\nprint(json.load(sys.stdin)["n"] + 1)',
    },
    env: { ERRAND_CALLBACK_ALLOW: '127.0.0.1', ERRAND_REDIS_MIN_REPLICAS: '1' },
  });
  const { client } = stack;

  it('The API is ready, and knows the worker', async () => {
    expect(await client.get('/readyz')).toMatchObject({
      status: 200,
      body: { checks: { redis: 'ok', workers: 'ok' } },
    });
  });

  it('A call and a workflow end with their results', async () => {
    expect(await client.invoke(ECHO)).toMatchObject({ status: 'succeeded', result: 'hello' });
    expect(await client.invoke({ toolId: 'workflow:twice', arguments: {} })).toMatchObject({ result: 1 });
  });

  it('A repeated request with an Idempotency-Key gets the same invocation', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const [first, second] = [
      await client.post('/v1/invocations', ECHO, key),
      await client.post('/v1/invocations', ECHO, key),
    ];
    expect(second.body.id).toBe(first.body.id);
  });

  it('A waiting and a running invocation are cancelled', async () => {
    const waiting = await client.submit({ ...ECHO, options: { delayMs: 3_600_000 } });
    const running = await client.submit({ toolId: 'core:delay', arguments: { ms: 3_600_000 } });
    await client.until(running, ({ status }) => status === 'running');
    for (const id of [waiting, running]) {
      expect((await client.cancel(id)).status).toBe(202);
      expect((await client.untilEnded(id)).status).toBe('cancelled');
    }
  });

  it('A stream has every event until the end', async () => {
    const id = await client.submit({ toolId: 'workflow:twice', arguments: {} });
    const events = await readEventStream(`${stack.url}/v1/invocations/${id}/events`);
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { invocation: { status: 'succeeded' } } });
  });

  it('Each item of a batch ends, and its callback arrives', async () => {
    const receiver = await WebhookReceiver.start();
    try {
      const items = [1, 2, 3].map((value) => ({
        toolId: 'core:echo',
        arguments: { value },
        callback: { url: receiver.url },
      }));
      const { status, body } = await client.post<{ items: { id: string }[] }>('/v1/invocations/batch', { items });
      expect(status).toBe(200);
      const results = await Promise.all(body.items.map(({ id }) => client.untilEnded(id)));
      expect(results.map(({ result }) => result)).toEqual([1, 2, 3]);
      const messages = (await receiver.until(3)).map((request) => JSON.parse(request.body) as { data: { id: string } });
      expect(messages.map(({ data }) => data.id).toSorted()).toEqual(body.items.map(({ id }) => id).toSorted());
    } finally {
      receiver.stop();
    }
  });

  describeWithDocker('A script-runner', () => {
    it('A script runs in a script-runner', async () => {
      await stack.start('script-runner');
      const call = { toolId: 'core:execute-python-script', arguments: { scriptPath: 'add.py', inputData: { n: 41 } } };
      expect(await client.invoke(call)).toMatchObject({ status: 'succeeded', result: 42 });
    });
  });
});
