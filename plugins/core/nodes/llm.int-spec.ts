import type { ServerResponse } from 'node:http';
import type { Json, JsonObject, NodeType } from '@errand/contracts';
import { runWorkflow, type EngineEvent, type RunOptions } from '@errand/engine';
import { createGuardedFetch, parseAllowList } from '@errand/platform';
import { optionsFor, runCoreNode } from '../test/run-core-node.js';
import { serve, type Seen } from '../test/serve.js';

const KEY = 'sk-of-the-operator';

const completion = (message: JsonObject, more: JsonObject = {}) =>
  JSON.stringify({
    id: 'c1',
    model: 'small-1',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop', ...more }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  });

const event = (chunk: JsonObject) => `data: ${JSON.stringify(chunk)}\n\n`;
const delta = (change: JsonObject, more: JsonObject = {}) =>
  event({ model: 'small-1', choices: [{ index: 0, delta: change, finish_reason: null, ...more }] });
const ENDED = delta({}, { finish_reason: 'stop' });
const USAGE = event({ choices: [], usage: { total_tokens: 5 } });
const DONE = 'data: [DONE]\n\n';
const SPOKEN = [delta({ role: 'assistant', content: '' }), delta({ content: 'Grüße ' }), delta({ content: '😀!' })];
const WHOLE = [...SPOKEN, ENDED, USAGE, DONE].join('');

/** Writes the parts so that each arrives separately. */
async function writeApart(response: ServerResponse, parts: readonly (string | Buffer)[]): Promise<void> {
  for (const part of parts) {
    await new Promise((resolve) => response.write(part, resolve));
    await new Promise(setImmediate);
  }
}

/** The next responses of the endpoint. The last one is repeated. */
type Answer = (seen: Seen, response: ServerResponse) => void | Promise<void>;
let answers: Answer[] = [];

const json =
  (status: number, body: string, headers = {}): Answer =>
  (_seen, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
const stream =
  (...parts: (string | Buffer)[]): Answer =>
  async (_seen, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    await writeApart(response, parts);
    response.end();
  };

let server: Awaited<ReturnType<typeof serve>>;
const environment = { ...process.env };
beforeAll(async () => {
  server = await serve((seen, response) => (answers.length > 1 ? answers.shift()! : answers[0]!)(seen, response));
});
beforeEach(() => {
  Object.assign(process.env, {
    ERRAND_LLM_BASE_URL: `${server.url}/v1`,
    ERRAND_LLM_API_KEY: KEY,
    ERRAND_LLM_MODEL: 'small',
  });
  server.seen.length = 0;
});
afterAll(() => {
  process.env = environment;
  server.close();
});

interface Result {
  text: string;
  json: Json;
  toolCalls: Json[];
  finishReason: string;
  model: string;
  usage: JsonObject;
}

async function ask(args: JsonObject, given: Answer[] = answers, more: Partial<RunOptions> = {}): Promise<Result> {
  answers = given;
  return (await runCoreNode('core:llm', args, more)) as unknown as Result;
}
const sent = () => JSON.parse(server.seen.at(-1)!.body) as JsonObject;

describe('core:llm', () => {
  it('A request goes to the endpoint of the operator with the configured key and model', async () => {
    await expect(
      ask({ prompt: 'Hello', system: 'Be brief.' }, [json(200, completion({ content: 'Hi' }))]),
    ).resolves.toEqual({
      text: 'Hi',
      reasoning: '',
      json: null,
      toolCalls: [],
      finishReason: 'stop',
      model: 'small-1',
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    });
    expect(server.seen).toEqual([
      expect.objectContaining({
        method: 'POST',
        path: '/v1/chat/completions',
        headers: expect.objectContaining({ authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }),
      }),
    ]);
    expect(sent()).toEqual({
      model: 'small',
      stream: false,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ],
    });
  });

  it('The options of the node are passed to the endpoint', async () => {
    const tools = [{ type: 'function', function: { name: 'find', parameters: { type: 'object' } } }];
    const messages = [{ role: 'user', content: 'a' }, { role: 'assistant', content: 'b' }]; // prettier-ignore
    const calls = [{ id: 'x', type: 'function', function: { name: 'find', arguments: '{}' } }];
    const answer = json(200, completion({ content: null, tool_calls: calls }, { finish_reason: 'tool_calls' }));
    const options = { seed: 7, model: 'other', messages: [] };
    const asked = { messages, model: 'big', temperature: 0.5, maxTokens: 9, tools, options, responseFormat: 'json' };
    await expect(ask(asked, [answer])).resolves.toMatchObject({
      text: '',
      toolCalls: calls,
      finishReason: 'tool_calls',
      json: null,
    });
    expect(sent()).toEqual({
      model: 'big',
      messages,
      stream: false,
      temperature: 0.5,
      max_tokens: 9,
      tools,
      seed: 7,
      response_format: { type: 'json_object' },
    });
  });

  it('The json output has the value if JSON is requested', async () => {
    const answer = [json(200, completion({ content: '{"city":"Oslo"}' }))];
    await expect(ask({ prompt: 'x', responseFormat: 'json' }, answer)).resolves.toMatchObject({
      json: { city: 'Oslo' },
    });
    expect(sent().response_format).toEqual({ type: 'json_object' });
    const schema = { type: 'object' };
    await expect(ask({ prompt: 'x', schema }, answer)).resolves.toMatchObject({ json: { city: 'Oslo' } });
    expect(sent().response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'answer', schema, strict: true },
    });
  });

  it('A response that is not the requested JSON fails with OutputError', async () => {
    const cut = [json(200, completion({ content: '{"city":' }, { finish_reason: 'length' }))];
    await expect(ask({ prompt: 'x', responseFormat: 'json' }, cut)).rejects.toMatchObject({
      type: 'OutputError',
      message: expect.stringContaining('it was cut off, raise maxTokens'),
    });
  });
});

describe('A streamed response of core:llm', () => {
  const bytes = Buffer.from(WHOLE);
  const smile = bytes.indexOf(Buffer.from('😀'));

  it.each<[string, (string | Buffer)[]]>([
    ['at once', [WHOLE]],
    ['event by event', [...SPOKEN, ENDED, USAGE, DONE]],
    ['byte by byte', Array.from(bytes, (byte) => Buffer.of(byte))],
    ['cut inside a character', [bytes.subarray(0, smile + 2), bytes.subarray(smile + 2)]],
    ['cut inside an event', [bytes.subarray(0, smile - 20), bytes.subarray(smile - 20)]],
    ['with comments and other line ends', [WHOLE.replaceAll('\n', '\r\n').replace(/^/, ': ping\r\n\r\n')]],
    ['without the end mark', [...SPOKEN, ENDED]],
  ])('A stream that arrives %s is read', async (_how, parts) => {
    await expect(ask({ prompt: 'x', stream: true }, [stream(...parts)])).resolves.toMatchObject({
      text: 'Grüße 😀!',
      finishReason: 'stop',
      model: 'small-1',
    });
    expect(sent()).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it('The text is passed on while the endpoint is still writing', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const given: Answer = async (_seen, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      await writeApart(response, SPOKEN.slice(0, 2));
      await released;
      response.end(SPOKEN[2]! + ENDED + USAGE + DONE);
    };
    answers = [given];
    const chunks: Json[] = [];
    const emit = (emitted: EngineEvent) => {
      if (emitted.event !== 'output') return;
      chunks.push(emitted.chunk);
      // The endpoint writes the rest only now. The test would hang if the first piece were held back.
      release();
    };
    const outputs = await runWorkflow(STREAMING, {}, optionsFor({ emit }));
    expect(chunks).toEqual(['Grüße ', '😀!']);
    expect(outputs).toEqual({ text: 'Grüße 😀!' });
  });

  it('The pieces go to nodes that read streams', async () => {
    const shout: NodeType = {
      type: 'test:shout',
      description: 'Writes each piece in capitals',
      inputs: { text: { dataFlowType: 'STRING', isStream: true, required: true } },
      outputs: { pieces: { dataFlowType: 'ARRAY' } },
      async run(_inputs, { streams }) {
        const pieces: Json[] = [];
        for await (const piece of streams.text!) pieces.push(JSON.stringify(piece).toUpperCase());
        return { pieces };
      },
    };
    answers = [stream(WHOLE)];
    const options = optionsFor();
    const outputs = await runWorkflow(
      {
        nodes: [...STREAMING.nodes, { id: 'shout', type: 'test:shout' }],
        edges: [
          { source: 'ask', sourceHandle: 'text', target: 'shout', targetHandle: 'text' },
          { source: 'shout', sourceHandle: 'pieces', target: 'out', targetHandle: 'pieces' },
        ],
        interfaceOutputs: { pieces: { dataFlowType: 'ARRAY' } },
      },
      {},
      { ...options, nodeTypes: new Map([...options.nodeTypes, [shout.type, shout]]) },
    );
    expect(outputs).toEqual({ pieces: ['"GRÜSSE "', '"😀!"'] });
  });

  it('The parts of tool calls are joined', async () => {
    const part = (index: number, call: JsonObject) => delta({ tool_calls: [{ index, ...call }] });
    const parts = [
      part(0, { id: 'a', type: 'function', function: { name: 'find', arguments: '' } }),
      part(0, { function: { arguments: '{"q":' } }),
      part(1, { id: 'b', function: { name: 'stop', arguments: '{}' } }),
      part(0, { function: { arguments: '"ü"}' } }),
      delta({}, { finish_reason: 'tool_calls' }),
      DONE,
    ];
    await expect(ask({ prompt: 'x', stream: true }, [stream(...parts)])).resolves.toMatchObject({
      text: '',
      finishReason: 'tool_calls',
      toolCalls: [
        { id: 'a', type: 'function', function: { name: 'find', arguments: '{"q":"ü"}' } },
        { id: 'b', type: 'function', function: { name: 'stop', arguments: '{}' } },
      ],
    });
  });

  it('The response may be a stream or JSON, independent of the request', async () => {
    const whole = [json(200, completion({ content: 'Hi' }))];
    await expect(ask({ prompt: 'x', stream: true }, whole)).resolves.toMatchObject({ text: 'Hi' });
    await expect(ask({ prompt: 'x', stream: false }, [stream(WHOLE)])).resolves.toMatchObject({ text: 'Grüße 😀!' });
  });

  it.each<[string, Answer, string]>([
    ['ends too early', stream(SPOKEN[1]!), 'it was cut off before its end'],
    ['is not JSON', stream('data: {a\n\n'), 'it is not JSON'],
    [
      'is an error',
      stream(SPOKEN[1]!, event({ error: { message: 'overloaded' } })),
      'the language model failed: overloaded',
    ],
    ['is an endless event', stream(`data: ${'x'.repeat(1_100_000)}`), 'cannot be read'],
    ['has tool calls out of order', stream(delta({ tool_calls: [{ index: 5 }] })), 'out of order'],
    ['loses its connection', cutConnection, 'cannot be read'],
    ['is empty', json(200, ''), 'it is not JSON'],
    ['has another format', json(200, '{"choices":[]}'), 'it has no choices[0].message'],
  ])('A response that %s fails with ServiceError', async (_what, answer, message) => {
    await expect(ask({ prompt: 'x', stream: true }, [answer])).rejects.toMatchObject({
      type: 'ServiceError',
      message: expect.stringContaining(message),
    });
  });

  async function cutConnection(_seen: Seen, response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    await writeApart(response, SPOKEN);
    response.destroy();
  }
});

describe('An endpoint with problems', () => {
  const busy = json(429, '{"error":{"message":"slow down"}}', { 'retry-after': '0' });
  const failing = json(503, 'upstream', { 'retry-after': new Date(0).toUTCString() });
  const fine = json(200, completion({ content: 'Hi' }));

  it('A busy or failing endpoint is asked again after its Retry-After', async () => {
    const lines: string[] = [];
    const emit = (emitted: EngineEvent) => void (emitted.event === 'log' && lines.push(emitted.line));
    await expect(ask({ prompt: 'x' }, [busy, failing, fine], { emit })).resolves.toMatchObject({ text: 'Hi' });
    expect(server.seen.length).toBe(3);
    expect(lines).toEqual([
      'the language model answered 429: slow down; asking again in 0 ms',
      'the language model answered 503: upstream; asking again in 0 ms',
    ]);
  });

  it.each<[string, Answer, JsonObject, number, string]>([
    ['stays busy', busy, { maxRetries: 1 }, 2, 'the language model answered 429: slow down'],
    [
      'requests a pause that is too long',
      json(429, '', { 'retry-after': '3600' }),
      {},
      1,
      'answered 429: Too Many Requests',
    ],
    ['closes the connection', (_seen, response) => void response.destroy(), { maxRetries: 0 }, 1, 'cannot be reached'],
  ])('An endpoint that %s fails the node with ServiceError', async (_what, answer, more, requests, message) => {
    await expect(ask({ prompt: 'x', ...more }, [answer])).rejects.toMatchObject({
      type: 'ServiceError',
      message: expect.stringContaining(message),
    });
    expect(server.seen.length).toBe(requests);
  });

  it.each<[number, string, string]>([
    [400, '{"error":{"message":"no such model"}}', 'answered 400: no such model'],
    [401, `{"error":{"message":"bad key ${KEY}"}}`, 'answered 401: bad key …'],
    [404, '<html>', 'answered 404: <html>'],
    [422, '{"error":"wrong"}', 'answered 422: wrong'],
    [302, '', 'answered 302'],
  ])('The status code %i is not retried', async (status, body, message) => {
    const refusing = json(status, body, { location: 'http://127.0.0.1:1/' });
    await expect(ask({ prompt: 'x' }, [refusing])).rejects.toMatchObject({
      type: 'NodeError',
      message: expect.stringContaining(message),
    });
    expect(server.seen.length).toBe(1);
  });

  const hang: Answer = () => {};
  const hangInside: Answer = (_seen, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(SPOKEN[1]);
  };
  it.each([
    ['before', hang],
    ['inside of', hangInside],
    ['in a pause before', json(429, '', { 'retry-after': '30' })],
  ])('The node ends at its time limit %s the response', async (_where, answer) => {
    await expect(ask({ prompt: 'x', stream: true, timeoutMs: 60 }, [answer])).rejects.toMatchObject({
      type: 'TimeoutError',
      message: expect.stringContaining('60 ms'),
    });
  });

  it('A cancelled node ends and closes the connection', async () => {
    const stop = new AbortController();
    const closed = new Promise<void>((resolve) => {
      answers = [
        (seen, response) => {
          response.on('close', resolve);
          void hangInside(seen, response);
          stop.abort();
        },
      ];
    });
    await expect(ask({ prompt: 'x', stream: true }, answers, { signal: stop.signal })).rejects.toMatchObject({
      type: 'CancelledError',
    });
    await closed;
  });
});

describe('The addresses of endpoints', () => {
  const fine = [json(200, completion({ content: 'Hi' }))];
  const fetch = createGuardedFetch({ allow: parseAllowList('127.0.0.1') });

  it('An endpoint that a workflow names does not get the key of the operator', async () => {
    const baseUrl = `${server.url}/other/`;
    await expect(ask({ prompt: 'x', baseUrl, model: 'm' }, fine, { fetch })).resolves.toMatchObject({ text: 'Hi' });
    expect(server.seen[0]).toMatchObject({ path: '/other/chat/completions' });
    expect(JSON.stringify(server.seen)).not.toContain(KEY);
  });

  it.each(['http://169.254.169.254/v1', 'http://localhost:1/v1', 'file:///etc/passwd'])(
    'The address %s is refused',
    async (baseUrl) => {
      await expect(ask({ prompt: 'x', baseUrl }, fine, { fetch })).rejects.toMatchObject({ type: 'SecurityError' });
    },
  );

  it('The endpoint of the operator may have any address', async () => {
    const closed = createGuardedFetch({ allow: parseAllowList('') });
    await expect(ask({ prompt: 'x' }, fine, { fetch: closed })).resolves.toMatchObject({ text: 'Hi' });
  });

  it.each<[JsonObject, Record<string, string>, string]>([
    [{}, {}, "there is nothing to ask: give 'prompt' or 'messages'"],
    [{ messages: ['hi'] }, {}, "'messages' must be a list of {role, content}; look at 0"],
    [{ prompt: 'x', baseUrl: 'nowhere' }, {}, "'baseUrl' must be an address"],
    [{ prompt: 'x', responseFormat: 'xml' }, {}, "'responseFormat' must be one of text, json"],
    [{ prompt: 'x' }, { ERRAND_LLM_MODEL: '' }, "'model' is missing"],
    [{ prompt: 'x' }, { ERRAND_LLM_BASE_URL: '' }, 'set ERRAND_LLM_BASE_URL'],
    [{ prompt: 'x', timeoutMs: 0 }, {}, 'timeoutMs'],
  ])('The node refuses %j with the environment %j: %s', async (args, env, message) => {
    Object.assign(process.env, env);
    await expect(ask(args, fine)).rejects.toThrow(message);
    expect(server.seen).toEqual([]);
  });
});

/** A workflow with one question, whose response is streamed out. */
const STREAMING = {
  nodes: [
    { id: 'ask', type: 'core:llm', inputValues: { prompt: 'x', stream: true } },
    { id: 'out', type: 'core:GroupOutput' },
  ],
  edges: [{ source: 'ask', sourceHandle: 'text', target: 'out', targetHandle: 'text' }],
  interfaceOutputs: { text: { dataFlowType: 'STRING', isStream: true } },
};
