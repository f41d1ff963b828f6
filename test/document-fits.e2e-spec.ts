import { openSession, placeInvocation, submitInvocation } from '@errand/queue';
import { beginAttempt, messageOf, turnOf } from '../libs/queue/test/sessions.js';
import { eventually } from './support/eventually.js';
import { DocumentCheck, OPERATIONS, type Got } from './support/document-check.js';
import { FeedClient } from './support/feed-client.js';
import { useStack } from './support/start-stack.js';
import { WebhookReceiver } from './support/webhook-receiver.js';

const PLUGIN = `
name: chat
displayName: Chat
version: 1.0.0
description: Has a node that reports what it does.
tools:
  - id: chat:speak
    displayName: Speak
    description: Speaks.
    parameters: { type: object, properties: {} }
    implementation: { type: workflow, workflowId: speak }
nodes: { entry: nodes/index.js }
`;
const CODE = `
const speak = {
  type: 'chat:Speak',
  description: 'Reports progress, a line and chunks.',
  inputs: {},
  outputs: { text: { dataFlowType: 'STRING', isStream: true } },
  async *run(_inputs, context) {
    context.log('a line');
    context.progress(0.5, 'half');
    yield { text: 'Hel' };
    yield { text: 'lo' };
  },
};
module.exports = { nodes: [speak], services: [] };`;
const SPEAK = {
  nodes: [
    { id: 'speak', type: 'chat:Speak' },
    { id: 'out', type: 'core:GroupOutput' },
  ],
  edges: [{ source: 'speak', sourceHandle: 'text', target: 'out', targetHandle: 'text' }],
  interfaceOutputs: { text: { dataFlowType: 'STRING', isStream: true } },
};

const SPEAKER = {
  id: 'speaker',
  tool_ids_inventory: ['chat:speak', 'chat:spaek'],
  core_deliberation_workflow_id: 'core:deliberate',
  limits: { maxTokens: 100 },
};

const stack = useStack({
  with: ['worker'],
  examples: true,
  library: {
    'plugins/chat/plugin.yaml': PLUGIN,
    'plugins/chat/nodes/index.js': CODE,
    'plugins/chat/workflows/speak.json': SPEAK,
    'tools/broken.tool.json': '{"toolId": "broken:tool"',
    'agents/speaker.json': SPEAKER,
  },
  env: { ERRAND_CALLBACK_ALLOW: '127.0.0.1', ERRAND_DEFAULT_AGENT: 'speaker' },
});
const { client } = stack;
const check = new DocumentCheck();
/** The responses of the current test that do not fit. All of them are reported, not only the first. */
const misfits: object[] = [];
afterEach(() => expect(misfits.splice(0)).toEqual([]));
/** The status of operations that need no key: without a key in the body, a login is malformed. */
const OPEN = new Map([
  ['checkLiveness', 200],
  ['checkReadiness', 200],
  ['beginLogin', 400],
  ['endLogin', 204],
]);
const UNKNOWN = 'inv_00000000000000000000';

interface Request {
  /** The values of the path, by name. */
  path?: Record<string, string>;
  /** Begins with `?`. */
  query?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Sends a request of the document, and compares the response with it. */
async function ask(operationId: string, request: Request = {}, origin = stack.url): Promise<Got> {
  const { path = {}, query = '', body, headers = {} } = request;
  const operation = OPERATIONS.get(operationId);
  const at = operation?.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
  const response = await fetch(`${origin}${at}${query}`, {
    method: operation?.method.toUpperCase() ?? 'GET',
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const got = { status: response.status, headers: response.headers, text: await response.text() };
  const faults = check.faultsOf(operationId, got);
  if (faults.length > 0) misfits.push({ operationId, query, body, status: got.status, faults });
  return got;
}

/** Reads a field of a JSON response. */
const fieldOf = ({ text }: Got, name: string) => (JSON.parse(text) as Record<string, unknown>)[name];
const ECHO = { toolId: 'core:echo', arguments: { value: 'hello' } };

describe('Each response fits the OpenAPI document', () => {
  it('The responses to submissions fit', async () => {
    const { status } = await ask('submitInvocation', { body: { ...ECHO, metadata: { a: 1 }, session: 's' } });
    expect(status).toBe(202);
    const ended = await ask('submitInvocation', { body: ECHO, headers: { prefer: 'wait=60' } });
    expect([ended.status, ended.headers.get('location'), ended.headers.get('preference-applied')]).toEqual([
      200,
      `/v1/invocations/${String(fieldOf(ended, 'id'))}`,
      'wait=60',
    ]);
    expect(fieldOf(await ask('submitInvocation', { body: { text: 'Nothing to do.' } }), 'status')).toBe('no_action');
    await ask('submitInvocation', { body: { text: '<ACTION><core:echo><value>1</value></core:echo></ACTION>' } });
    await ask('submitInvocation', { body: { text: '<ACTION><core:ecko/></ACTION>' } });
    for (const text of ['Nothing.', '<ACTION><core:echo><value>1</value></core:echo></ACTION>'])
      await ask('submitInvocation', { query: '?dryRun=true', body: { text } });
    await ask('submitInvocation', { body: { toolId: 'core:math', arguments: { op: 'add' } } });
    await ask('submitInvocation', { body: { toolIdd: 'core:echo' } });
    await ask('submitInvocation', { body: '{' });
    await ask('submitInvocation', { body: JSON.stringify({ text: 'x'.repeat(2_000_000) }) });
    await ask('submitInvocation', { body: 'a=b', headers: { 'content-type': 'text/plain' } });
    await ask('submitInvocation', { body: ECHO, headers: { 'idempotency-key': 'one' } });
    const conflict = { body: { ...ECHO, session: 'x' }, headers: { 'idempotency-key': 'one' } };
    expect((await ask('submitInvocation', conflict)).status).toBe(409);
    const items = [ECHO, { text: 'Nothing to do.' }, { toolId: 'core:ecko' }];
    const batch = await ask('submitBatch', { body: { items }, headers: { prefer: 'wait=60' } });
    expect(batch.status).toBe(200);
    const path = { id: String(fieldOf(batch, 'id')) };
    expect(fieldOf(await ask('getBatch', { path }), 'counts')).toMatchObject({
      succeeded: 1,
      refused: 1,
      no_action: 1,
    });
    expect((await ask('getBatch', { path: { id: 'bat_00000000000000000000' } })).status).toBe(404);
  });

  it.each([
    ['that succeeded', ECHO],
    ['with several steps', { calls: [ECHO, { toolId: 'core:delay', arguments: { ms: 1 } }] }],
    ['of a workflow with reports and chunks', { toolId: 'chat:speak', arguments: {} }],
    ['that failed', { toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 } }],
    ['with a large result', { toolId: 'core:echo', arguments: { value: 'word '.repeat(20_000) } }],
  ])('The responses about an invocation %s fit', async (_, request) => {
    const { id } = await client.invoke(request);
    const path = { id };
    const read = await ask('getInvocation', { path });
    const tag = read.headers.get('etag') ?? 'none';
    expect((await ask('getInvocation', { path, headers: { 'if-none-match': tag } })).status).toBe(304);
    for (const query of ['?step=0', '?limit=1&q=line', '?format=text', '?after=x'])
      await ask('getInvocationLogs', { path, query });
    await ask('getTimeline', { path });
    for (const step of ['0', '9']) await ask('getStepGraph', { path: { id, step } });
    for (const query of ['', '?path=', '?q=o', '?offset=2&limit=3']) await ask('getInvocationResult', { path, query });
    await ask('followInvocation', { path });
    await ask('cancelInvocation', { path });
    await ask('retryInvocation', { path, body: {} });
    await ask('getInvocationImpact', { path });
    await ask('listDeliveries', { path });
    for (const { event, data } of await client.events(id)) {
      const schema = `${event.slice(0, 1).toUpperCase()}${event.slice(1)}Event`;
      expect({ event, faults: check.faultsOfValue(schema, data) }).toEqual({ event, faults: [] });
      expect(check.faultsOfValue('InvocationEvent', data)).toEqual([]);
      check.seen.add(schema);
    }
    const [last] = (await client.events(id)).slice(-1);
    const seen = await ask('followInvocation', { path, headers: { 'last-event-id': last?.id ?? '' } });
    expect(seen.status).toBe(204);
  });

  it('The responses about an invocation that waits for an answer fit', async () => {
    const workflow = { toolId: 'workflow:approve', arguments: { draft: { title: 't', text: 'x' } } };
    const id = await client.submit(workflow);
    await client.untilWaiting(id);
    await ask('getInvocation', { path: { id } });
    await ask('listInvocations', { query: '?status=waiting_external' });
    await ask('countInvocations', { query: '?status=waiting_external&errorType=NodeError' });
    await ask('countInvocations', { query: '?state=queued' });
    const answer = { path: { id, step: '0' }, body: { result: { approved: true } } };
    expect((await ask('answerStep', answer)).status).toBe(202);
    await ask('answerStep', { ...answer, body: { error: { message: 'late' } } });
    await ask('answerStep', { ...answer, body: {} });
    await client.untilEnded(id);
    const other = await client.submit({ toolId: 'core:delay', arguments: { ms: 600_000 } });
    await ask('getInvocation', { path: { id: other } });
    expect((await ask('cancelInvocation', { path: { id: other } })).status).toBe(202);
  });

  it('The responses to the message of a model API fit', async () => {
    const calling = (name: string, args: object) => ({
      role: 'assistant',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(args) } }],
    });
    const ended = await ask('submitInvocation', {
      body: { message: calling('core__echo', { value: 1 }) },
      headers: { prefer: 'wait=60' },
    });
    expect(fieldOf(ended, 'messages')).toHaveLength(1);
    const path = { id: String(fieldOf(ended, 'id')) };
    for (const query of ['', '?format=anthropic', '?format=xml']) await ask('getInvocationMessages', { path, query });
    await ask('submitInvocation', { body: { message: calling('core__ecko', {}) } });
    const id = await client.submit({ message: calling('core__external', { prompt: 'May I?' }) });
    await client.untilWaiting(id);
    await ask('getInvocationMessages', { path: { id } });
    await ask('listInbox');
    await ask('listInbox', { query: '?kind=question' });
    const answer = { path: { id, callId: 'call_1' }, body: { result: true } };
    expect((await ask('answerCall', answer)).status).toBe(202);
    await ask('answerCall', { ...answer, path: { id, callId: 'call_2' } });
  });

  it('The responses about texts and refusals fit', async () => {
    const id = await client.submit({ text: '<ACTION><core:echo><value>1</value></core:echo></ACTION>' });
    expect((await ask('getInvocationSource', { path: { id } })).status).toBe(200);
    await ask('getInvocationSource', { path: { id: await client.submit(ECHO) } });
    await ask('submitInvocation', { body: { text: '<ACTION><core:ecko/></ACTION>', agent: 'demo' } });
    const stored = async () => {
      const { items } = JSON.parse((await ask('listRefusals', { query: '?agent=demo' })).text) as {
        items: { id: string }[];
      };
      return items[0]?.id;
    };
    const refused = await eventually(stored, 'the refusal is kept');
    expect((await ask('getRefusal', { path: { id: refused } })).status).toBe(200);
    await ask('getRefusal', { path: { id: 'ref_00000000000000000000' } });
    for (const by of ['tool', 'parameter', 'code', 'agent', 'day']) await ask('sumRefusals', { query: `?by=${by}` });
    await ask('listRefusals', { query: '?limit=0' });
  });

  it('The responses about a session fit', async () => {
    const queues = await stack.openQueues();
    const conversation = { tenant: 'default', session: 'room', agent: 'ada' };
    const id = await placeInvocation(queues, conversation);
    await submitInvocation(queues, 'invocations', id, turnOf(conversation), { delayMs: 600_000 });
    const toolCalls = [{ id: 'c', type: 'function' as const, function: { name: 'core:echo', arguments: '{}' } }];
    const message = messageOf('m', { role: 'assistant', toolCalls, round: 0 });
    await openSession(queues, await beginAttempt(queues, id, conversation), { messages: [message] });
    const path = { session: 'room' };
    await ask('getSession', { path });
    for (const query of ['', '?agent=ada', '?limit=0']) await ask('listSessionMessages', { path, query });
    await ask('getSessionState', { path, query: '?agent=adda' });
    await ask('getSessionState', { path });
    await ask('patchSessionState', { path, body: { a: 1 } });
    await ask('patchSessionState', { path, body: { a: 'x'.repeat(300_000) } });
    await ask('patchSessionState', { path, body: '[]' });
    for (const body of [{ type: 'rain' }, { type: 'rain', agents: ['nobody'] }, {}])
      await ask('publishSessionEvent', { path, body });
    await ask('publishSessionEvent', { path: { session: 'none' }, body: { type: 'rain' } });
    expect((await ask('deleteSession', { path })).status).toBe(409);
    const { redis, keyspace } = queues.shardOf(id);
    await redis.hdel(`${keyspace}:invocations:${id}`, 'ats');
    await client.post(`/v1/invocations/${id}/cancel`, {});
    expect((await ask('deleteSession', { path })).status).toBe(204);
    expect((await ask('getSession', { path })).status).toBe(404);
  });

  it('The messages and deliveries of callbacks fit', async () => {
    const receiver = await WebhookReceiver.start();
    stack.keep({ close: () => receiver.stop() });
    const { id } = await client.invoke({ ...ECHO, callback: { url: receiver.url } });
    const isDelivered = async () =>
      (await ask('listDeliveries', { path: { id } })).text.includes('"status":"delivered"');
    await eventually(isDelivered, `the callback of ${id} is delivered`);
    const [message] = receiver.received;
    expect(check.faultsOfValue('InvocationEnded', JSON.parse(message?.body ?? ''))).toEqual([]);
    expect((await ask('redeliverCallback', { path: { id, n: '0' } })).status).toBe(202);
    await ask('redeliverCallback', { path: { id, n: '7' } });
    for (const query of ['', '?status=delivered&limit=1', '?status=gone']) await ask('listAllDeliveries', { query });
  });

  it('The responses of the MCP server fit', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const headers = { accept: 'application/json, text/event-stream' };
    for (const [operation, path] of [
      ['callMcpServer', {}],
      ['callMcpServerOfAgent', { agent: 'demo' }],
    ] as const) {
      expect((await ask(operation, { path, body: list, headers })).status).toBe(200);
      expect((await ask(operation, { path, body: '{', headers })).status).toBe(400);
    }
    expect((await ask('callMcpServerOfAgent', { path: { agent: 'nobody' }, body: list })).status).toBe(404);
  });

  it('The lists fit', async () => {
    await client.invoke({ ...ECHO, metadata: { 'a.b': 'x' } });
    for (const query of [
      '',
      '?limit=2',
      '?metadata[a.b]=x',
      '?metadata.a.b=x',
      '?status=failed',
      '?status=failed,succeeded&count=true',
      '?fields=id,status,steps,messages',
      `?ids=${UNKNOWN}`,
      '?updatedAfter=2026-01-01',
      '?limit=0',
      '?stat=x',
    ])
      await ask('listInvocations', { query });
  });

  it('The tools, texts and problems of the library fit', async () => {
    for (const operation of ['listTools', 'listToolsAtOldPath', 'listLibraryProblems']) {
      const { headers } = await ask(operation);
      const again = await ask(operation, { headers: { 'if-none-match': headers.get('etag') ?? 'none' } });
      expect(again.status).toBe(304);
    }
    await ask('listTools', { query: '?kind=nodes' });
    await ask('listTools', { query: '?q=text&limit=2' });
    await ask('listTools', { query: '?details=true' });
    for (const id of ['core:echo', 'workflow:greet', 'text:analyze', 'core:ecko']) {
      await ask('getTool', { path: { id }, query: '?details=true' });
      await ask('getToolStats', { path: { id } });
      await ask('getToolGraph', { path: { id } });
    }
    for (const format of ['action', 'tam', 'openai', 'anthropic', 'mcp', 'json', 'xml'])
      await ask('getToolsPrompt', { query: `?format=${format}` });
    for (const id of ['core:echo', 'core:ecko']) await ask('getToolsPrompt', { query: `?toolId=${id}` });
    await ask('parseText', { body: { text: 'Hm. <ACTION><core:echo><value>1</value></core:echo></ACTION> Done.' } });
    await ask('parseText', { body: { text: '<ACTION>\n <core:ecko/></ACTION>', tools: [{ toolId: 'core:echo' }] } });
    await ask('parseText', { body: { text: 'x', agent: 'nobody' } });
    await ask('parseText', { body: {} });
    await ask('previewWorkflow', { body: { workflowId: 'speak', workflow: SPEAK } });
    await ask('previewWorkflow', { body: { workflowId: 'speak', workflow: { nodes: 1 } } });
  });

  it('The statistics and the results of a search fit', async () => {
    await client.invoke(ECHO);
    await ask('submitInvocation', { body: { toolId: 'core:math', arguments: { op: 'add' } } });
    for (const query of ['', '?metric=accepted', '?metric=runP95Ms&by=tool', '?metric=depth&by=queue', '?metric=x'])
      await ask('getStats', { query });
    expect((await ask('getStats', { query: '?metric=ended&from=2026-02-01&to=2026-01-01' })).status).toBe(400);
    for (const query of ['?q=echo', '?q=inv_', '?q=nothing%20at%20all', '']) await ask('searchByName', { query });
  });

  it('The agents fit', async () => {
    const { headers } = await ask('listAgents');
    const again = await ask('listAgents', { headers: { 'if-none-match': headers.get('etag') ?? 'none' } });
    expect(again.status).toBe(304);
    for (const id of ['demo', 'speaker', 'demos']) await ask('getAgent', { path: { id } });
  });

  it('The answers and cards of A2A fit', async () => {
    const path = { agent: 'speaker' };
    const rpc = (method: string) => ({ jsonrpc: '2.0', id: 1, method, params: {} });
    for (const method of ['ListTasks', 'GetTask', 'Nothing'])
      await ask('callAgent', { path, body: rpc(method), headers: { 'a2a-version': '1.0' } });
    await ask('callAgent', { path, body: '{' });
    await ask('callAgent', { path: { agent: 'nobody' }, body: rpc('GetTask') });
    await ask('callAgent', { path, body: 'a=b', headers: { 'content-type': 'text/plain' } });
    for (const agent of ['speaker', 'nobody']) await ask('getAgentCard', { path: { agent } });
    const { headers } = await ask('getDefaultAgentCard');
    await ask('getDefaultAgentCard', { headers: { 'if-none-match': headers.get('etag') ?? 'none' } });
  });

  it('The runs of AG-UI fit', async () => {
    const messages = [{ role: 'tool', toolCallId: 'unknown', content: 'x' }];
    const body = { threadId: 't', runId: 'r', messages, forwardedProps: { agent: 'speaker' } };
    await ask('runAgent', { path: { agent: 'speaker' }, body });
    await ask('runAgent', { path: { agent: 'nobody' }, body });
    await ask('runDefaultAgent', { body });
    await ask('runDefaultAgent', { body: { ...body, messages: [] } });
  });

  it('The stream of everything fits', async () => {
    const feed = await FeedClient.open(stack.url);
    try {
      const { id } = await client.invoke(ECHO);
      const { data } = await feed.untilStatus(id, 'succeeded');
      expect(check.faultsOfValue('FeedInvocation', data)).toEqual([]);
      expect(check.faultsOfValue('FeedEvent', data)).toEqual([]);
      const headers = new Headers({ 'content-type': 'text/event-stream; charset=utf-8' });
      expect(check.faultsOf('followEverything', { status: 200, headers, text: '' })).toEqual([]);
    } finally {
      feed.close();
    }
    await ask('followEverything', { query: '?topics=everything' });
  });

  it('The responses about bulk actions fit', async () => {
    const { id } = await client.invoke({ toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 } });
    const dryRun = await ask('startBulkAction', { body: { action: 'retry', ids: [id], dryRun: true } });
    const token = { body: { token: String(fieldOf(dryRun, 'token')), name: 'again' } };
    const begun = await ask('startBulkAction', token);
    expect(begun.status).toBe(202);
    expect((await ask('startBulkAction', token)).status).toBe(409);
    await ask('startBulkAction', { body: { action: 'retry', ids: [id] } });
    await ask('listBulkActions');
    const path = { id: String(fieldOf(begun, 'id')) };
    await ask('getBulkAction', { path });
    await ask('getBulkAction', { path: { id: 'blk_none' } });
    expect((await ask('abortBulkAction', { path })).status).toBe(200);
    await ask('abortBulkAction', { path: { id: 'blk_none' } });
  });

  it('The ledger of effects and the reports of the sandboxes fit', async () => {
    for (const query of ['', '?session=s&toolId=core:echo', '?cursor=x']) await ask('listEffects', { query });
    await ask('checkSandbox');
    await ask('getSandboxReport');
  });

  it('The pages for operators fit', async () => {
    for (const operation of ['checkLiveness', 'checkReadiness', 'getMetrics', 'listQueues']) await ask(operation);
    await ask('getQueue', { path: { name: 'invocations' } });
    await ask('getQueue', { path: { name: 'invocation' } });
    await ask('pauseQueue', { path: { name: 'scripts' }, body: { note: 'an upgrade' } });
    await ask('pauseQueue', { path: { name: 'scripts' }, body: { note: 1 } });
    await ask('resumeQueue', { path: { name: 'scripts' } });
    await stack.start('worker');
    const processes = fieldOf(await ask('listProcesses'), 'items') as { id: string; kind: string }[];
    for (const [kind, status] of [
      ['api', 409],
      ['worker', 202],
    ] as const) {
      const process = { path: { id: processes.findLast((one) => one.kind === kind)?.id ?? 'nobody' } };
      await ask('getProcess', process);
      expect((await ask('drainProcess', process)).status).toBe(status);
    }
    expect((await ask('drainProcess', { path: { id: 'nobody' } })).status).toBe(404);
    const path = { id: 'acme' };
    await ask('changeTenant', { path, body: { weight: 2 } });
    await ask('changeTenant', { path, body: { weight: 0 } });
    await ask('getTenant', { path });
  });

  it('The responses about the login of a browser fit', async () => {
    const key = 'k'.repeat(24);
    const guarded = await stack.startApi({ ERRAND_API_KEYS: `acme:${key}` });
    const { headers } = await ask('beginLogin', { body: { key } }, guarded);
    const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
    await ask('beginLogin', { body: { key: 'wrong' } }, guarded);
    await ask('getWhoami', { headers: { cookie } }, guarded);
    await ask('getWhoami');
    await ask('endLogin', { headers: { cookie } }, guarded);
    await ask('getWhoami', { headers: { cookie } }, guarded);
  });

  it('A refused key and an unknown id get the documented problems', async () => {
    const guarded = await stack.startApi({ ERRAND_API_KEYS: `acme:${'k'.repeat(24)}` });
    const path = { id: UNKNOWN, n: '0', name: 'x', step: '0', callId: 'c', session: 's', agent: 'speaker' };
    for (const { operationId } of OPERATIONS.values()) {
      const open = OPEN.get(operationId);
      expect((await ask(operationId, { path }, guarded)).status).toBe(open ?? 401);
      const { status } = await ask(operationId, { path, headers: { origin: 'http://evil.example' } });
      expect(status).toBe(403);
    }
    await ask('getMetrics', { headers: { authorization: `Bearer ${'k'.repeat(24)}` } }, guarded);
    const ofInvocation = [...OPERATIONS.values()].filter((operation) => operation.path.includes('/invocations/{id}'));
    for (const { operationId } of ofInvocation) {
      const body = operationId.startsWith('answer') ? { body: { result: 1 } } : {};
      expect((await ask(operationId, { path, ...body })).status).toBe(404);
    }
  });

  it('Each operation and each kind of event was checked', () => {
    const events = ['Status', 'Step', 'Progress', 'Log', 'Output', 'End'].map((name) => `${name}Event`);
    const succeeded = [...check.seen].filter((seen) => / 20\d$/.test(seen)).map((seen) => seen.split(' ')[0]);
    // An artifact needs a sandbox. The tests of scripts download some.
    const expected = [...OPERATIONS.keys()].filter((operationId) => operationId !== 'downloadArtifact');
    expect(expected.filter((operationId) => !succeeded.includes(operationId))).toEqual([]);
    expect(events.filter((schema) => !check.seen.has(schema))).toEqual([]);
  });
});
