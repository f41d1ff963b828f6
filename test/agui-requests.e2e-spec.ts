import { connect } from 'node:net';
import { EventSchema } from '@ag-ui/core/schemas';
import { HttpAgent, type BaseEvent } from '@ag-ui/client';
import { updateState } from '@errand/queue';
import { FrontEnd, postRun, typesOf, type RunEvent } from './support/agui-agent.js';
import { eventually } from './support/eventually.js';
import { useScriptedModel } from './support/scripted-model.js';
import { useStack } from './support/start-stack.js';
import { turnLibrary } from './support/turn-library.js';

const model = useScriptedModel();
const stack = useStack({
  with: ['worker'],
  library: turnLibrary({
    'agents/shop.json': JSON.stringify({
      id: 'shop',
      core_deliberation_workflow_id: 'core:deliberate',
      tool_ids_inventory: ['state:*', 'core:echo'],
      worldState: { door: 'shut', page: 'home' },
    }),
    'agents/elsewhere.json': JSON.stringify({ id: 'elsewhere', tool_ids_inventory: ['core:echo'] }),
  }),
  env: { ERRAND_DEFAULT_AGENT: 'shop' },
});

const at = (agent = 'guide') => `${stack.url}/agui/${agent}`;
const act = (text: string, ...calls: string[]) => `${text}\n<ACTION>${calls.join('')}</ACTION>`;
const user = (content: unknown) => ({ id: crypto.randomUUID(), role: 'user', content });
let threads = 0;
const body = (more: object = {}) => ({ threadId: `t-${++threads}`, runId: 'r', messages: [user('Hi')], ...more });
const problemOf = async (url: string, given: unknown) => {
  const { status, text, headers } = await postRun(url, given);
  expect(headers.get('content-type')).toContain('application/problem+json');
  return { status, ...(JSON.parse(text) as { code: string; detail: string; errors?: { path: string }[] }) };
};

/** A front end that asks for protobuf. */
class BinaryFrontEnd extends HttpAgent {
  protected override requestInit(input: Parameters<HttpAgent['run']>[0]): RequestInit {
    const init = super.requestInit(input);
    return { ...init, headers: { ...(init.headers as object), Accept: 'application/vnd.ag-ui.event+proto' } };
  }
}

describe('The agent of a run', () => {
  it('An unknown agent is not found, with the nearest name', async () => {
    expect(await problemOf(at('giude'), body())).toMatchObject({
      status: 404,
      code: 'not_found',
      detail: expect.stringContaining("'guide'"),
    });
  });

  it('An agent whose program is elsewhere cannot run', async () => {
    expect(await problemOf(at('elsewhere'), body())).toMatchObject({ status: 404, code: 'not_found' });
  });

  it.each(['__proto__', 'constructor', '%2e%2e', 'a'.repeat(200)])('The agent %s is not found', async (id) => {
    expect(await problemOf(at(id), body())).toMatchObject({ status: 404, code: 'not_found' });
  });

  it('Without an agent in the path, the default agent runs, or the one that the request names', async () => {
    model.current.restart(['I am the shop.', 'I am the guide.']);
    const byDefault = await postRun(`${stack.url}/agui`, body());
    const named = await postRun(`${stack.url}/agui`, body({ forwardedProps: { agent: 'guide' } }));
    const toolIds = await Promise.all(
      [byDefault, named].map(async ({ headers }) => {
        const { steps } = await stack.client.read(headers.get('errand-invocation') ?? '');
        return steps[0]?.toolId;
      }),
    );
    expect(toolIds).toEqual(['agent:shop', 'agent:guide']);
  });

  it('A request that names an unknown agent is not found', async () => {
    const named = (agent: unknown) => problemOf(`${stack.url}/agui`, body({ forwardedProps: { agent } }));
    expect(await named('nobody')).toMatchObject({ status: 404, code: 'not_found' });
    expect(await named(3)).toMatchObject({ status: 422, code: 'invalid_request' });
  });
});

describe('The state of a run', () => {
  it('A run begins with the world state of the profile, and changes of the agent follow as deltas', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    model.current.restart([{ text: ['The door', ' is open.'], hold: { pieces: 1, until: held } }]);
    const agent = FrontEnd.of(at('shop'), 'state');
    agent.state = { page: 'cart' };
    const running = agent.say('Open the door');
    await eventually(() => typesOf(agent.events).includes('TEXT_MESSAGE_CONTENT'));
    expect(agent.state).toEqual({ door: 'shut', page: 'cart' });
    const queues = await stack.openQueues();
    const id = agent.response?.headers.get('errand-invocation') ?? '';
    const session = { tenant: 'default', session: 'state' };
    await updateState(queues, session, (world) => ({ ...world, door: 'open' }), { id });
    release();
    const events = await running;
    expect(typesOf(events).slice(0, 2)).toEqual(['RUN_STARTED', 'STATE_SNAPSHOT']);
    const patches = events.flatMap(({ type, ['delta']: delta }) => (type === 'STATE_DELTA' ? (delta as object[]) : []));
    expect(patches).toContainEqual({ op: 'replace', path: '/door', value: 'open' });
    expect(agent.state).toEqual({ door: 'open', page: 'cart' });
  });

  it('A later run of the thread begins with the state as it is', async () => {
    model.current.restart(['It is open.']);
    const agent = FrontEnd.of(at('shop'), 'state');
    await agent.say('And now?');
    expect(agent.state).toEqual({ door: 'open', page: 'cart' });
  });
});

describe('The encoding of a run', () => {
  it('A client that asks for protobuf gets the same events', async () => {
    model.current.restart([act('I look.', '<core:echo><value>x</value></core:echo>'), 'Done.']);
    const agent = new BinaryFrontEnd({ url: at(), threadId: 'binary' });
    const events: BaseEvent[] = [];
    agent.subscribe({ onEvent: ({ event }) => void events.push(event) });
    agent.addMessage({ id: 'u', role: 'user', content: 'Look' });
    await agent.runAgent();
    expect(agent.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: 'I look.' },
      { role: 'tool', content: 'x' },
      { role: 'assistant', content: 'Done.' },
    ]);
    expect((events as unknown as RunEvent[]).at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
      result: 'Done.',
      outcome: { type: 'success' },
    });
  });

  it('Each event of a stream fits the schema of AG-UI, without an unknown field', async () => {
    model.current.restart([
      { reasoning: 'Hm', text: act('I look.', '<core:echo><value>x</value></core:echo>') },
      'Done.',
    ]);
    const { events, headers } = await postRun(at(), body());
    expect(headers.get('content-type')).toContain('text/event-stream');
    expect(headers.get('cache-control')).toBe('no-store');
    for (const event of events) expect(EventSchema.parse(event)).toEqual(event);
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    model.current.restart(['Fine.']);
    await FrontEnd.of(at(), 'warnings').say('Hi');
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });
});

describe('A malformed body', () => {
  const deep = '['.repeat(10_000) + ']'.repeat(10_000);
  const given = JSON.stringify(body());
  it.each<[string, unknown, number, string]>([
    ['a list', [], 422, ''],
    ['no messages', { threadId: 't', runId: 'r' }, 422, '/messages'],
    ['an empty list of messages', body({ messages: [] }), 422, '/messages'],
    ['a message without a role', body({ messages: [{ id: 'm', content: 'x' }] }), 422, '/messages/0/role'],
    [
      'a message of an unknown role',
      body({ messages: [{ id: 'm', role: 'boss', content: 'x' }] }),
      422,
      '/messages/0/role',
    ],
    ['a thread that is a number', body({ threadId: 7 }), 422, '/threadId'],
    ['a thread with a lone surrogate', given.replace(/"t-\d+"/, '"\\ud800"'), 422, '/threadId'],
    ['a thread of 300 characters', body({ threadId: 'x'.repeat(300) }), 422, '/threadId'],
    [
      'an image',
      body({ messages: [user([{ type: 'image', source: { type: 'url', value: 'http://x/y' } }])] }),
      422,
      '/messages/0/content/0',
    ],
    [
      '1,000 entries of resume',
      body({ resume: Array.from({ length: 1_000 }, (_, n) => ({ interruptId: `i${n}`, status: 'cancelled' })) }),
      422,
      '/resume',
    ],
    [
      '129 client tools',
      body({ tools: Array.from({ length: 129 }, (_, n) => ({ name: `x${n}`, description: '' })) }),
      422,
      '/tools',
    ],
    ['JSON 10,000 levels deep', given.replace('{', `{"state":${deep},`), 422, ''],
    ['a message above 256 KiB', body({ messages: [user('x'.repeat(262_145))] }), 422, '/messages/0/content'],
  ])('It is refused for %s before the stream begins', async (_, wrong, status, path) => {
    const problem = await problemOf(at(), wrong);
    expect(problem).toMatchObject({ status, code: 'invalid_request' });
    expect(problem.errors?.map((one) => one.path)).toContain(path);
    expect(JSON.stringify(problem)).not.toMatch(/node_modules|at async|\.ts:/);
  });

  it('Malformed JSON and a body of 5 MB are refused before the stream begins', async () => {
    expect(await problemOf(at(), '{"threadId":')).toMatchObject({ status: 400 });
    const answer = { role: 'tool', toolCallId: 'c', content: 'x'.repeat(5_000_000) };
    expect(await problemOf(at(), body({ messages: [answer] }))).toMatchObject({ status: 413 });
  });

  it.each([
    ['a reserved name', { name: 'core:echo', description: '' }],
    ['the name of an agent', { name: 'agent:guide', description: '' }],
    ['a name with a blank', { name: 'a b', description: '' }],
    ['an invalid schema', { name: 'x', description: '', parameters: { type: 'nonsense' } }],
  ])('A client tool with %s is refused', async (_, tool) => {
    expect(await problemOf(at(), body({ tools: [tool] }))).toMatchObject({ status: 422 });
  });

  it('A client tool with the name __proto__ is an ordinary tool, or is refused', async () => {
    model.current.restart(['Fine.']);
    const { status } = await postRun(at(), body({ tools: [{ name: '__proto__', description: 'x' }] }));
    expect([200, 422]).toContain(status);
    expect(({} as Record<string, unknown>)['description']).toBeUndefined();
  });

  it('Wrong options of the submission are refused with their place', async () => {
    const problem = await problemOf(at(), body({ forwardedProps: { options: { priorty: 1 } } }));
    expect(problem).toMatchObject({
      status: 422,
      code: 'invalid_request',
      detail: expect.stringContaining('priority'),
    });
  });
});

describe('A run in which nothing happens', () => {
  it('The client gets comments while the model is silent, and then the rest of the run', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    model.current.restart([{ text: ['Be ', 'patient.'], hold: { pieces: 1, until: held } }]);
    const response = await fetch(at(), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body()),
    });
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      // The stream goes on only after the comment.
      if (text.includes('\n\n: still here\n\n')) release();
    }
    expect(text.indexOf('"delta":"Be')).toBeLessThan(text.indexOf(': still here'));
    expect(text.indexOf(': still here')).toBeLessThan(text.indexOf('patient.'));
    expect(text).toContain('RUN_FINISHED');
  });
});

describe('A client that disconnects', () => {
  it('The turn goes on, and the run can be read again', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    model.current.restart([{ text: ['Be ', 'patient.'], hold: { pieces: 1, until: held } }]);
    const given = body();
    const { hostname, port } = new URL(stack.url);
    const text = JSON.stringify(given);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /agui/guide HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
    await model.current.until(1);
    socket.destroy();
    release();
    const { events } = await postRun(at(), given);
    expect(events.at(-1)).toMatchObject({ result: 'Be patient.', outcome: { type: 'success' } });
    expect(model.current.requests).toHaveLength(1);
  });
});

describe('A page of another origin', () => {
  it('It can neither call nor read', async () => {
    const { status } = await postRun(at(), body(), { origin: 'https://evil.example' });
    expect(status).toBe(403);
    const preflight = await fetch(at(), { method: 'OPTIONS', headers: { origin: 'https://evil.example' } });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('Another method is refused with the right one', async () => {
    const response = await fetch(at());
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });
});
