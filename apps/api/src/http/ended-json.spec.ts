import { newInvocationId } from '@errand/contracts';
import { endedInvocation, freshInvocation, readToldEnd, type InvocationRecord, type Outcome } from '@errand/queue';
import { endedJson } from './ended-json.js';
import { budgetOf, toResponse } from './to-response.js';

const CALL = { toolId: 'core:echo', version: '1.0.0', digest: 'd', kind: 'node', arguments: { value: 'x' } } as const;
const HOSTILE = 'a "quoted" \\ line\n\u2028 of 漢字 \ud800 and </script>';
const RECORD: InvocationRecord = { tenant: 'default', mode: 'sequence', calls: [CALL] };
const SUCCEEDED = { status: 'succeeded' } as const;

/** Both texts of an ended invocation. The second one may be undefined. */
function textsOf(over: Partial<InvocationRecord>, outcome: Outcome, sees: boolean, showsTenant: boolean) {
  const accepted = { id: newInvocationId(), record: { ...RECORD, ...over }, at: Date.now() };
  const told = `1700000000001 1700000000020 2 ${JSON.stringify(outcome)}`;
  const tools = { find: () => (sees ? ({} as never) : undefined) };
  const whole = toResponse(tools, endedInvocation(freshInvocation(accepted), told), { showsTenant });
  const budget = budgetOf(tools, accepted.record);
  return [JSON.stringify(whole), endedJson(accepted, readToldEnd(accepted.id, told), { showsTenant }, budget)];
}

it.each<[string, Partial<InvocationRecord>, Outcome['steps'][number]]>([
  ['a text', {}, { ...SUCCEEDED, result: 'x' }],
  ['no result', {}, SUCCEEDED],
  ['null', {}, { ...SUCCEEDED, result: null }],
  ['a result that JSON escapes', { agent: HOSTILE }, { ...SUCCEEDED, result: { [HOSTILE]: [HOSTILE, 1e21, -0, {}] } }],
  ['a result that the Observation cuts', { maxResultChars: 200 }, { ...SUCCEEDED, result: '漢'.repeat(1_000) }],
  ['times and starts of its own', {}, { ...SUCCEEDED, startedAt: 'then', finishedAt: 'later', attempts: 7 }],
  [
    'warnings and metadata',
    {
      metadata: { [HOSTILE]: HOSTILE },
      warnings: [{ message: HOSTILE, line: 1, column: 1 }],
      session: HOSTILE,
      calls: [{ ...CALL, callId: HOSTILE }],
      attachments: [{ name: 'a.txt', size: 3, sha256: 'f'.repeat(64) }],
      retryOf: { invocationId: newInvocationId(), steps: {} },
    },
    { ...SUCCEEDED, result: [] },
  ],
])('endedJson returns the same JSON as JSON.stringify: %s', (_, over, step) => {
  for (const showsTenant of [false, true])
    for (const sees of [false, true]) {
      const [whole, text] = textsOf(over, { steps: [step] }, sees, showsTenant);
      expect(text).toBe(whole);
    }
});

it.each<[string, Partial<InvocationRecord>, Outcome]>([
  ['several calls', { calls: [CALL, CALL] }, { steps: [SUCCEEDED, SUCCEEDED] }],
  ['the turn of an agent', { calls: [{ ...CALL, kind: 'agent' }] }, { steps: [SUCCEEDED] }],
  ['a message of a model API', { messageForm: 'openai' }, { steps: [SUCCEEDED] }],
  ['a call of a turn', { parentTurn: { invocationId: newInvocationId(), step: 0 } }, { steps: [SUCCEEDED] }],
  ['a step that failed', {}, { steps: [{ status: 'failed', error: { type: 'NodeError', message: 'broken' } }] }],
  ['a large result', {}, { steps: [{ ...SUCCEEDED, large: { beginning: 'x', total: 9 } as never }] }],
  [
    'a step that was not run again',
    {},
    { steps: [{ ...SUCCEEDED, deduplicatedFrom: { invocationId: newInvocationId(), step: 0 } }] },
  ],
  ['no step', {}, { steps: [] }],
])('endedJson leaves %s to the whole invocation', (_, over, outcome) => {
  expect(textsOf(over, outcome, false, false)[1]).toBeUndefined();
});
