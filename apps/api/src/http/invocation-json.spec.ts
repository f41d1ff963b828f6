import { newInvocationId, type Invocation } from '@errand/contracts';
import { freshInvocation, type InvocationRecord } from '@errand/queue';
import { invocationJson } from './invocation-json.js';
import { toResponse } from './to-response.js';

const HOSTILE = 'a "quoted" \\ line\n\u2028 of 漢字 \ud800 and </script>';
const RECORD: InvocationRecord = {
  tenant: 'default',
  mode: 'sequence',
  agent: HOSTILE,
  metadata: { [HOSTILE]: HOSTILE, __proto: 1 },
  calls: [
    { toolId: 'core:echo', version: '1.0.0', digest: 'd', kind: 'node', arguments: { [HOSTILE]: [HOSTILE, 1e21] } },
  ],
};

function invocationWith(more: Partial<Invocation>): Invocation {
  const accepted = { id: newInvocationId(), record: RECORD, at: Date.now() };
  return { ...toResponse({ find: () => undefined }, freshInvocation(accepted), { showsTenant: true }), ...more };
}

it.each<[string, Partial<Invocation>]>([
  ['a waiting invocation', {}],
  ['a result with strings that JSON escapes', { status: 'succeeded', result: [HOSTILE, null, { a: [] }], progress: 1 }],
  ['an error', { status: 'failed', error: { type: 'ScriptError', message: HOSTILE } }],
  ['a field without a value', { warnings: undefined, result: 0 }],
  ['lists that differ', { calls: [] }],
])('invocationJson returns the same JSON as JSON.stringify: %s', (_, more) => {
  const invocation = invocationWith(more);
  expect(invocationJson(invocation)).toBe(JSON.stringify(invocation));
});
