import type { InvocationRow, Step } from '@errand/contracts';
import type { ListedInvocation } from '@errand/queue';
import { toRow } from './to-row.js';

const step = (over: Partial<Step> = {}): Step => ({
  index: 0,
  toolId: 'kb:search',
  version: '1.0.0',
  arguments: {},
  status: 'succeeded',
  startedAt: null,
  finishedAt: null,
  attempts: 1,
  ...over,
});
const NOW = '2026-01-01T00:00:00.000Z';
const invocation = (over: Partial<ListedInvocation> = {}): ListedInvocation => ({
  id: 'inv_01',
  status: 'succeeded',
  createdAt: NOW,
  startedAt: NOW,
  finishedAt: NOW,
  agent: 'support',
  session: 's',
  responseText: null,
  metadata: null,
  calls: [],
  steps: [],
  result: null,
  error: null,
  progress: null,
  record: { tenant: 'acme', calls: [], mode: 'sequence' },
  ...over,
});
const rowOf = (over: Partial<ListedInvocation>, steps: Step[] = [step()]): InvocationRow =>
  toRow(invocation(over), steps);

it('A row counts the steps and names each tool once', () => {
  const steps = [step(), step({ toolId: 'b', status: 'failed', attempts: 3 }), step({ status: 'running' })];
  expect(rowOf({}, steps)).toMatchObject({ toolIds: ['kb:search', 'b'], steps: { total: 3, done: 2 }, attempts: 3 });
});

it('A row names the question of a waiting invocation', () => {
  const waiting = { for: 'answer' as const, until: null, step: 1, prompt: 'Which one?' };
  expect(rowOf({ waiting }).waitingFor).toBe('an answer to step 1: Which one?');
  expect(rowOf({ waiting: { ...waiting, nodeId: 'ask', prompt: { a: 1 } } }).waitingFor).toBe(
    'an answer to node ask of step 1: {"a":1}',
  );
});

it('A row has the error, and what it retries', () => {
  const error = { type: 'NodeError', message: 'It failed' } as ListedInvocation['error'];
  expect(rowOf({ error, retryOf: { invocationId: 'inv_00' } })).toMatchObject({
    errorType: 'NodeError',
    errorMessage: 'It failed',
    retryOf: 'inv_00',
  });
});

it('A row has the same fields for everybody', () => {
  const fields =
    'id status createdAt startedAt finishedAt agent session toolIds steps attempts progress errorType errorMessage waitingFor retryOf';
  expect(Object.keys(rowOf({}))).toEqual(fields.split(' '));
});

it.each(['x', 'ß', '漢', '😀', '"', '\u0001'])('A row of the largest texts of %j has 2 KiB at most', (text) => {
  const long = text.repeat(256);
  const steps = Array.from({ length: 100 }, (_, n) => step({ toolId: `${n}${text.repeat(250)}` }));
  const row = rowOf(
    {
      agent: long,
      session: long,
      error: { type: 'NodeError', message: text.repeat(100_000) },
      waiting: { for: 'answer', until: null, step: 0, prompt: long },
    },
    steps,
  );
  expect(Buffer.byteLength(JSON.stringify(row))).toBeLessThanOrEqual(2_048);
  expect(row.toolIds.at(-1)).toBe('…');
  expect(row.errorMessage).toMatch(/…$/);
  expect(JSON.stringify(row)).not.toMatch(/\\ud[89a-f]/);
});
