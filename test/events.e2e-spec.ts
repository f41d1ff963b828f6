import { randomUUID } from 'node:crypto';
import { readEventStream, type SentEvent } from './support/client.js';
import { useStack } from './support/start-stack.js';

const PLUGIN = `
name: review
displayName: Desk
version: 1.0.0
description: Asks people.
tools:
  - id: review:ask
    displayName: Ask
    description: Asks a person.
    parameters: { type: object, properties: {} }
    implementation: { type: external }
  - id: review:flaky
    displayName: Flaky
    description: Succeeds at the third try.
    parameters: { type: object, properties: { name: { type: string } } }
    retry: { attempts: 3, backoff: { type: fixed, delayMs: 30 } }
    implementation: { type: service, serviceName: review, methodName: flaky }
nodes: { entry: nodes/index.js }
`;
const CODE = `
const tries = new Map();
const flaky = async ({ name }) => {
  tries.set(name, (tries.get(name) ?? 0) + 1);
  if (tries.get(name) < 3) throw new Error('away');
  return name;
};
module.exports = { nodes: [], services: [{ name: 'review', methods: { flaky } }] };`;
const ASKS_BRIEFLY = {
  nodes: [
    { id: 'ask', type: 'core:external', configValues: { timeoutMs: 700 } },
    { id: 'caught', type: 'core:try' },
    { id: 'out', type: 'core:GroupOutput' },
  ],
  edges: [
    { source: 'ask', sourceHandle: 'result', target: 'caught', targetHandle: 'value' },
    { source: 'caught', sourceHandle: 'value', target: 'out', targetHandle: 'value' },
  ],
  interfaceOutputs: { value: { dataFlowType: 'WILDCARD' } },
};

const stack = useStack({
  with: ['worker'],
  library: {
    'plugins/review/plugin.yaml': PLUGIN,
    'plugins/review/nodes/index.js': CODE,
    'workflows/asks-briefly.json': ASKS_BRIEFLY,
  },
  examples: true,
});
const { client } = stack;

let another: string;
beforeAll(async () => {
  another = await stack.startApi();
});

/** Gives the tool a unique name, because the flaky tool counts its calls by name. */
const named = (request: object): object => JSON.parse(JSON.stringify(request).replace('NAME', randomUUID())) as object;
const ofWhole = (events: readonly Pick<SentEvent, 'event' | 'data'>[], kind: string) =>
  events
    .filter(({ event, data }) => event === kind && data['nodeId'] === undefined)
    .map(({ data }) => data['status'] as string);
/** The events without `at`, the time of publication. */
const untimed = (events: readonly SentEvent[]) =>
  events.map(({ data: { at: _, ...data }, ...event }) => ({ ...event, data }));

/** The events that an API still sends to a client that reconnects after `lastEventId`. */
const restAfter = (api: string, id: string, lastEventId: string) =>
  readEventStream(`${api}/v1/invocations/${id}/events`, { 'last-event-id': lastEventId });

interface Kind {
  request: object;
  asked?: true;
  end: string;
  /** Every status that its events report. */
  told?: string[];
}

const ONCE = ['queued', 'running', 'succeeded'];
const ASKED = ['queued', 'running', 'waiting_external', 'running', 'succeeded'];
const TRIED = ['queued', 'running', 'queued', 'running', 'queued', 'running', 'succeeded'];
const KINDS: Record<string, Kind> = {
  'a node': { request: { toolId: 'core:delay', arguments: { ms: 200, value: 1 } }, end: 'succeeded', told: ONCE },
  'a node that ends at once': {
    request: { toolId: 'core:echo', arguments: { value: 1 } },
    end: 'succeeded',
    told: ONCE,
  },
  'a node that fails': { request: { toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 } }, end: 'failed' },
  'a delayed invocation': {
    request: { toolId: 'core:echo', arguments: { value: 1 }, options: { delayMs: 200 } },
    end: 'succeeded',
  },
  'a suspended invocation': { request: { toolId: 'core:wait', arguments: { ms: 2_500 } }, end: 'succeeded' },
  'a workflow': { request: { toolId: 'workflow:slug', arguments: { item: 'Ada' } }, end: 'succeeded' },
  'an external tool': { request: { toolId: 'review:ask', arguments: {} }, asked: true, end: 'succeeded', told: ASKED },
  'a short wait for an answer': {
    request: { toolId: 'workflow:asks-briefly', arguments: {} },
    end: 'succeeded',
    told: ASKED,
  },
  'a tool that is retried': {
    request: { toolId: 'review:flaky', arguments: { name: 'NAME' } },
    end: 'succeeded',
    told: TRIED,
  },
};

describe('The step events of a single call', () => {
  it.each(Object.entries(KINDS))(
    'Step events equal the status events of the invocation: %s',
    async (_what, { request, asked, end }) => {
      const id = await client.submit(named(request));
      const followed = client.events(id);
      if (asked) {
        await client.untilWaiting(id);
        await client.answer(id, { result: 1 });
      }
      const live = await followed;
      expect(ofWhole(live, 'step')).toEqual(ofWhole(live, 'status'));
      expect(ofWhole(live, 'step').at(-1)).toBe(end);
      expect(live.slice(-3).map(({ event }) => event)).toEqual(['step', 'status', 'end']);
      if (asked) expect(ofWhole(live, 'step')).toContain('waiting_external');
    },
  );

  it.each(Object.entries(KINDS))('Live, late and resumed streams have the same events: %s', async (_what, kind) => {
    const id = await client.submit(named(kind.request));
    const [live, elsewhere] = [client.events(id), readEventStream(`${another}/v1/invocations/${id}/events`)];
    if (kind.asked) {
      await client.untilWaiting(id);
      await client.answer(id, { result: 1 });
    }
    const all = untimed(await live);
    if (kind.told) expect(ofWhole(all, 'status')).toEqual(kind.told);
    expect(new Set(all.map((event) => event.id)).size).toBe(all.length);
    expect(untimed(await elsewhere)).toEqual(all);
    expect(untimed(await client.events(id))).toEqual(all);
    for (const [n, { id: lastEventId }] of all.slice(0, -1).entries())
      expect(untimed(await restAfter(another, id, lastEventId))).toEqual(all.slice(n + 1));
  });
});

it('Each of several calls reports only its own steps, once', async () => {
  const calls = [1, 2].map((value) => ({ toolId: 'core:echo', arguments: { value } }));
  const id = await client.submit({ calls });
  await client.untilEnded(id);
  const all = await client.events(id);
  const steps = all.filter(({ event }) => event === 'step').map(({ data }) => [data['index'], data['status']]);
  expect(steps).toEqual([
    [0, 'running'],
    [0, 'succeeded'],
    [1, 'running'],
    [1, 'succeeded'],
  ]);
});

it('A client with a Last-Event-ID from the future misses no event', async () => {
  const calls = [
    { toolId: 'core:echo', arguments: { value: 1 } },
    { toolId: 'review:ask', arguments: {} },
  ];
  const id = await client.submit({ calls });
  await client.untilWaiting(id);
  const answerAndHear = async ({ event, data }: SentEvent) => {
    if (data['status'] === 'waiting_external') await client.answer(id, { result: 1 }, 1);
    return event === 'step' && data['index'] === 1 && data['status'] === 'succeeded';
  };
  await client.untilTold(id, answerAndHear, '99');
});
