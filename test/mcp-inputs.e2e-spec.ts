import { connectMcp, askMcp, invocationIdIn, type RawRequest } from './support/mcp-client.js';
import { OFFICE } from './support/mcp-library.js';
import { useStack } from './support/start-stack.js';

/** Questions of tools to the user of an MCP client. */
const stack = useStack({ with: ['worker'], library: OFFICE });
const FORMS = { elicitation: {} };
const at = (path = '') => `${stack.url}/mcp${path}`;
const ARGUMENTS = { question: 'Who are you?' };

const ask = (params: object, more: Partial<RawRequest> = {}, path?: string) =>
  askMcp(at(path), {
    method: 'tools/call',
    capabilities: FORMS,
    ...more,
    params: { name: 'office__ask', arguments: ARGUMENTS, ...params },
  });
const accept = (content: object) => ({ answer: { action: 'accept', content } });
const stateOf = ({ result }: { result?: Record<string, unknown> }) => String(result?.['requestState']);
const newest = async () => {
  const { body } = await stack.client.get<{ items: { id: string; status: string }[] }>('/v1/invocations?limit=1');
  return body.items[0];
};

describe('A tool that asks', () => {
  it('Its question is a form with the prompt, and the state is another one in each round', async () => {
    const first = await ask({});
    expect(first.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        answer: {
          method: 'elicitation/create',
          params: {
            mode: 'form',
            message: '{"question":"Who are you?"}',
            requestedSchema: {
              type: 'object',
              properties: { name: { type: 'string', minLength: 2 } },
              required: ['name'],
            },
          },
        },
      },
    });
    const second = await ask({ requestState: stateOf(first) });
    expect(second.result).toMatchObject({ resultType: 'input_required' });
    expect(stateOf(second)).not.toBe(stateOf(first));
    expect(invocationIdIn(second.result ?? {})).toBe(invocationIdIn(first.result ?? {}));
    const done = await ask({ requestState: stateOf(second), inputResponses: accept({ name: 'Ada' }) });
    expect(done.result).toMatchObject({ resultType: 'complete', structuredContent: { name: 'Ada' } });
    const again = await ask({ requestState: stateOf(first), inputResponses: accept({ name: 'Eve' }) });
    expect(again.result).toMatchObject({ structuredContent: { name: 'Ada' } });
  });

  it('An answer that does not fit is asked for again', async () => {
    const first = await ask({});
    for (const content of [{ name: 'A' }, { nam: 'Ada' }, { name: 7 }]) {
      const next = await ask({ requestState: stateOf(first), inputResponses: accept(content) });
      expect(next.result).toMatchObject({ resultType: 'input_required', inputRequests: { answer: expect.anything() } });
    }
    await stack.client.cancel(invocationIdIn(first.result ?? {}));
  });

  it('An answer may come with the first call, without a state', async () => {
    const { result } = await ask({ inputResponses: { ...accept({ name: 'Ada' }), unknown: 7 } });
    expect(result).toMatchObject({ resultType: 'complete', structuredContent: { name: 'Ada' } });
  });

  it.each([
    ['decline', /declined/],
    ['cancel', /closed the question/],
  ])('The action %s is an error for the tool', async (action, message) => {
    const { result } = await ask({ inputResponses: { answer: { action } } });
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(message) }] });
  });

  it('The official client asks its user and continues by itself', async () => {
    const asked: string[] = [];
    const answers = [{ name: 'A' }, { name: 'Ada' }];
    const onQuestion = (message: string) => {
      asked.push(message);
      return { action: 'accept' as const, content: answers.shift() ?? {} };
    };
    const client = await connectMcp(at(), { onQuestion });
    const result = await client.callTool({ name: 'office__ask', arguments: ARGUMENTS });
    expect(result.structuredContent).toEqual({ name: 'Ada' });
    expect(asked).toHaveLength(2);
    await client.close();
  });

  it.each([
    ['a client without the capability', {}],
    ['a client of other modes', { elicitation: { url: {} } }],
  ])('For %s the call is an error, and the invocation is cancelled', async (_what, capabilities) => {
    const { result } = await ask({}, { capabilities });
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("'elicitation'") }] });
    expect(await stack.client.read(invocationIdIn(result ?? {}))).toMatchObject({ status: 'cancelled' });
  });

  it('For a client of an earlier revision the call is an error, and the invocation is cancelled', async () => {
    const client = await connectMcp(at(), { revision: '2025-11-25' });
    expect(await client.callTool({ name: 'office__ask', arguments: ARGUMENTS })).toMatchObject({ isError: true });
    expect(await newest()).toMatchObject({ status: 'cancelled' });
    await client.close();
  });
});

describe('The state that a client keeps', () => {
  it('A forged, cut or foreign state is refused, and nothing runs', async () => {
    const first = await ask({});
    const state = stateOf(first);
    const [version, body = '', mac] = state.split('.');
    const payload = JSON.parse(Buffer.from(body, 'base64url').toString()) as { p: object };
    const other = Buffer.from(JSON.stringify({ ...payload, p: { ...payload.p, id: 'inv_00000000000000000000' } }));
    for (const forged of [
      `${state}x`,
      state.slice(0, -4),
      `${version}.${other.toString('base64url')}.${mac}`,
      '',
      'v1.e30.',
      'x'.repeat(100_000),
    ])
      expect(await ask({ requestState: forged, inputResponses: accept({ name: 'Eve' }) })).toMatchObject({
        error: { code: -32602 },
      });
    for (const wrong of [7, null, { id: 1 }])
      expect(await ask({ requestState: wrong })).toMatchObject({ error: { code: -32602 } });
    expect((await stack.client.read(invocationIdIn(first.result ?? {}))).status).toBe('waiting_external');
  });

  it('A state is good for its own tool and endpoint only', async () => {
    const first = await ask({});
    const more = { requestState: stateOf(first), inputResponses: accept({ name: 'Eve' }) };
    expect(await ask({ ...more, name: 'core__echo', arguments: { value: 1 } })).toMatchObject({
      error: { code: -32602 },
    });
    expect(await ask(more, {}, '/clerk')).toMatchObject({ error: { code: -32602 } });
    expect((await stack.client.read(invocationIdIn(first.result ?? {}))).status).toBe('waiting_external');
  });

  it('A state is good for another API of the same installation', async () => {
    const first = await ask({});
    const url = `${await stack.startApi()}/mcp`;
    const params = {
      name: 'office__ask',
      arguments: ARGUMENTS,
      requestState: stateOf(first),
      inputResponses: accept({ name: 'Ada' }),
    };
    const { result } = await askMcp(url, { method: 'tools/call', capabilities: FORMS, params });
    expect(result).toMatchObject({ structuredContent: { name: 'Ada' } });
  });
});
