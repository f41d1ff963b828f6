import { newInvocationId } from '@errand/contracts';
import { freshInvocation, type InvocationRecord } from '@errand/queue';
import { toResponse } from './to-response.js';
import { acceptedJson } from './accepted-json.js';

const CALL = { toolId: 'core:echo', version: '1.0.0', digest: 'd', kind: 'node', arguments: { value: 'x' } } as const;
const HOSTILE = 'a "quoted" \\ line\n\u2028 of 漢字 \ud800 and </script>';
const RECORD: InvocationRecord = { tenant: 'default', mode: 'sequence', calls: [CALL] };
const CASES: Record<string, Partial<InvocationRecord>> = {
  'one call': {},
  'a call without arguments': { calls: [{ ...CALL, arguments: {} }] },
  'several calls': {
    calls: [CALL, { ...CALL, toolId: HOSTILE, version: '2.0.0-rc.1+"b"', onError: 'continue' }, CALL],
  },
  'strings that JSON escapes': {
    agent: HOSTILE,
    session: HOSTILE,
    responseText: HOSTILE,
    calls: [{ ...CALL, arguments: { [HOSTILE]: [HOSTILE, 1e21, -0, null, true, { deep: [] }] } }],
  },
  'empty strings and lists': {
    agent: '',
    session: '',
    responseText: '',
    metadata: {},
    warnings: [],
  },
  'metadata and warnings': {
    metadata: { order: { n: 7 } },
    warnings: [{ kind: 'repaired', message: 'closed', line: 1, column: 2 }] as never,
  },
  'attachments of a repair': {
    attachments: [{ name: 'a.txt', size: 3, sha256: 'f'.repeat(64) }],
    retryOf: { invocationId: newInvocationId(), steps: { '0': { inputs: { value: 'y' } } } },
  },
  'a message with the ids of its calls': { messageForm: 'openai', calls: [{ ...CALL, callId: HOSTILE }] },
  'options that the response does not show': { timeoutMs: 5, maxResultChars: 10, retry: { attempts: 3 } },
};

it.each(Object.entries(CASES))('acceptedJson returns the same JSON as JSON.stringify: %s', (_, over) => {
  const accepted = { id: newInvocationId(), record: { ...RECORD, ...over }, at: Date.now() };
  for (const showsTenant of [false, true]) {
    const response = toResponse({ find: () => undefined }, freshInvocation(accepted), { showsTenant });
    expect(acceptedJson(accepted, { showsTenant })).toBe(JSON.stringify(response));
  }
});
