import { createHash } from 'node:crypto';
import type { Invocation } from '@errand/contracts';
import { storeArtifacts, type Queues } from '@errand/queue';
import { useStack } from '../../../test/support/start-stack.js';

const OPERATOR = { authorization: 'Bearer key-of-the-operator' };
const ACME = { authorization: 'Bearer acme-key-of-some-length' };
const PLUGIN = `
name: shop
displayName: Shop
version: 1.0.0
description: For the test.
tools:
  - id: shop:ask
    displayName: Ask
    description: Asks a person.
    parameters: { type: object, properties: {} }
    implementation: { type: external }
`;
const stack = useStack({
  with: ['worker'],
  env: { ERRAND_API_KEYS: 'key-of-the-operator acme:acme-key-of-some-length' },
  library: {
    'plugins/shop/plugin.yaml': PLUGIN,
    'agents/reader.json': JSON.stringify({
      id: 'reader',
      displayName: 'Reader',
      tool_ids_inventory: ['core:echo', 'core:read-*'],
    }),
    'agents/blind.json': JSON.stringify({ id: 'blind', displayName: 'Blind', tool_ids_inventory: ['core:echo'] }),
  },
});
const { client } = stack;
let queues: Queues;
beforeAll(async () => {
  queues = await stack.openQueues();
});

const echo = (value: unknown) => ({ toolId: 'core:echo', arguments: { value } });

async function invoke(body: object, headers = OPERATOR): Promise<Invocation> {
  const { status, body: answer } = await client.post('/v1/invocations', body, { prefer: 'wait=60', ...headers });
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(answer)}`);
  return answer;
}

const read = (args: object, more: object = {}, headers = OPERATOR) =>
  invoke({ toolId: 'core:read-result', arguments: args, ...more }, headers);
const readFile = (args: object) => invoke({ toolId: 'core:read-artifact', arguments: args });

interface PartOfText {
  text: string;
  offset: number;
  total: number;
  nextOffset: number | null;
}

describe('core:read-result', () => {
  it('A model reads a large result to its end with the help of the observations', async () => {
    const text = Array.from({ length: 9_000 }, (_, n) => `line ${n} "quoted" 😀\n`).join('');
    const { id, observation } = await invoke(echo(text));
    const [, , shown] = /read more: tool (\S+), invocation \S+, offset (\d+)\]$/.exec(observation!)!;
    expect(text.startsWith(observation!.slice(observation!.indexOf('line 0'), observation!.indexOf('… [cut')))).toBe(
      true,
    );
    let whole = text.slice(0, Number(shown));
    for (let offset: number | null = Number(shown); offset !== null;) {
      const {
        result,
        observation: shownText,
        resultTruncated,
      } = await read({ invocation: id, offset, limit: 100_000 });
      const part = result as unknown as PartOfText;
      expect(shownText).not.toContain('[cut at');
      expect([resultTruncated, part.total]).toEqual([undefined, text.length]);
      whole += part.text;
      offset = part.nextOffset;
    }
    expect(whole).toBe(text);
  });

  it('A part never cuts a character and obeys limit and maxResultChars', async () => {
    const { id } = await invoke(echo('😀'.repeat(5_000)));
    expect((await read({ invocation: id, limit: 3 })).result).toEqual({
      text: '😀',
      offset: 0,
      total: 10_000,
      nextOffset: 2,
    });
    expect((await read({ invocation: id, offset: 1, limit: 2 })).result).toMatchObject({ text: '😀', offset: 0 });
    const small = await read({ invocation: id }, { options: { maxResultChars: 200 } });
    expect(JSON.stringify(small.result).length).toBeLessThanOrEqual(200);
    expect((small.result as unknown as PartOfText).text).toMatch(/^(😀)+$/u);
    expect((await read({ invocation: id, offset: 10_000 })).result).toMatchObject({ text: '', nextOffset: null });
  });

  it('Characters that JSON escapes do not make a part larger than the observation', async () => {
    const { id } = await invoke(echo('\u0001"\\'.repeat(20_000)));
    const { result, observation } = await read({ invocation: id });
    expect(JSON.stringify(result).length).toBeLessThanOrEqual(8_000);
    expect(observation).not.toContain('[cut at');
  });

  it('A path selects a part of the result, and with several steps it begins with the number of the step', async () => {
    const one = await invoke(echo({ a: [{ b: 'deep' }] }));
    expect((await read({ invocation: one.id, path: '/a/0/b' })).result).toMatchObject({ text: 'deep', total: 4 });
    const two = await invoke({ calls: [echo('first'), echo({ x: 1 })] });
    expect((await read({ invocation: two.id, path: '/1/x' })).result).toMatchObject({ text: '1' });
    expect((await read({ invocation: two.id })).result).toMatchObject({ text: '["first",{"x":1}]' });
  });

  it('A search returns matches with their offsets', async () => {
    const { id } = await invoke(echo(`${'hay '.repeat(30_000)}Needle ${'hay '.repeat(10)}`));
    const { result } = await read({ invocation: id, q: 'needle' });
    expect(result).toMatchObject({
      matches: [{ offset: 120_000, excerpt: expect.stringContaining('Needle') }],
      nextOffset: null,
    });
    const many = await read({ invocation: id, q: 'hay', limit: 100 });
    expect(JSON.stringify(many.result).length).toBeLessThanOrEqual(8_000);
    expect((many.result as { nextOffset: number }).nextOffset).toBeGreaterThan(0);
  });

  it('The succeeded steps of a failed chain can be read, as its observation says', async () => {
    const text = 'word '.repeat(4_000);
    const calls = [echo(text), { toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 } }];
    const { id, status, observation } = await invoke({ calls });
    expect(status).toBe('failed');
    expect(observation).toContain(`invocation ${id}, path /0, offset 8000]`);
    expect((await read({ invocation: id, path: '/0', offset: 8_000, limit: 10 })).result).toMatchObject({
      text: 'word word ',
    });
    expect(await read({ invocation: id })).toMatchObject({
      status: 'failed',
      error: { type: 'ParameterValidationError', message: expect.stringMatching(/failed; the steps .* at path \/0$/) },
    });
  });

  it('A result that cannot be read is refused with the reason', async () => {
    const { id } = await invoke(echo({ a: 1 }));
    const refusal = async (args: object, headers = OPERATOR) => {
      const { error } = await read(args, {}, headers);
      expect(error?.type).toBe('ParameterValidationError');
      return error?.message;
    };
    expect(await refusal({ invocation: 'inv_0123456789abcdefghjkmnpqrstvwxyz0123' })).toMatch(/There is no invocation/);
    expect(await refusal({ invocation: '../x' })).toMatch(/There is no invocation/);
    expect(await refusal({ invocation: id }, ACME)).toMatch(/There is no invocation/);
    expect(await refusal({ invocation: id, path: '/b' })).toMatch(/nothing at \/b/);
    expect(await refusal({ invocation: id, path: 'a' })).toMatch(/JSON Pointer/);
    const { body } = await client.post('/v1/invocations', { toolId: 'shop:ask', arguments: {} }, OPERATOR);
    expect(await refusal({ invocation: body.id })).toMatch(
      /is (queued|running|waiting_external): it has no result yet/,
    );
    await client.post(`/v1/invocations/${body.id}/cancel`, '', OPERATOR);
  });

  it('An agent without the tool gets no hint to it and cannot call it', async () => {
    const text = 'word '.repeat(4_000);
    const blind = await invoke({ ...echo(text), agent: 'blind' });
    expect(blind.observation).toMatch(/… \[cut at 8,000 of 20,000 characters\]$/);
    const refused = await client.post(
      '/v1/invocations',
      { toolId: 'core:read-result', arguments: { invocation: blind.id }, agent: 'blind' },
      OPERATOR,
    );
    expect(refused.body.code).toBe('unknown_tool');
    const reader = await invoke({ ...echo(text), agent: 'reader' });
    expect(reader.observation).toContain('read more: tool core:read-result');
  });
});

describe('core:read-artifact', () => {
  const file = (name: string, bytes: Buffer) => ({
    name,
    bytes,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });

  it('A model reads a text file that the observation lists', async () => {
    const { id } = await invoke({ calls: [echo(1), echo(2)] });
    const text = 'a,b\n1,"ü"\n'.repeat(3_000);
    await storeArtifacts(queues, { id, step: 0 }, [
      file('out/data.csv', Buffer.from(text)),
      file('a.txt', Buffer.from('one')),
    ]);
    await storeArtifacts(queues, { id, step: 1 }, [
      file('p.png', Buffer.from([0x89, 0x50, 0, 255])),
      file('a.txt', Buffer.from('two')),
    ]);
    const { observation } = (await client.get<Invocation>(`/v1/invocations/${id}`, OPERATOR)).body;
    expect(observation).toContain(`out/data.csv (${Buffer.byteLength(text).toLocaleString('en-US')} bytes, text/csv`);
    expect(observation).toContain(`[read one: tool core:read-artifact, invocation ${id}, name]`);

    let whole = '';
    for (let offset: number | null = 0; offset !== null;) {
      const { result, observation: shownText } = await readFile({ invocation: id, name: 'out/data.csv', offset });
      const part = result as unknown as PartOfText;
      expect(shownText).not.toContain('[cut at');
      whole += part.text;
      offset = part.nextOffset;
    }
    expect(whole).toBe(text);
    expect((await readFile({ invocation: id, name: 'a.txt', step: 2 })).result).toMatchObject({ text: 'two', size: 3 });
    const messages = await Promise.all(
      [{ name: 'a.txt' }, { name: 'p.png' }, { name: 'out/dat.csv' }, { name: 'a.txt', step: 3 }].map(
        async (args) => (await readFile({ invocation: id, ...args })).error?.message,
      ),
    );
    expect(messages).toEqual([
      expect.stringContaining('name one of them in step: 1, 2'),
      expect.stringContaining('is not text (image/png, 4 bytes)'),
      expect.stringContaining('did you mean "out/data.csv"?'),
      expect.stringContaining('has no file "a.txt"'),
    ]);
  });
});

describe('A template with a backslash before it', () => {
  it('An escaped template reaches the tool as text, also in nested values and after a repair', async () => {
    const value = {
      a: ['\\{{steps.1.result}}', '\\\\{{steps.1}}', '{{steps.1.result}}'],
      '\\{{steps.1}}': '${{ steps.meta.x }}',
    };
    const { result } = await invoke({ calls: [echo('\\{{steps.1.result}}'), echo(value)] });
    expect(result).toEqual([
      '{{steps.1.result}}',
      { a: ['{{steps.1.result}}', '\\{{steps.1}}', '{{steps.1.result}}'], '\\{{steps.1}}': '${{ steps.meta.x }}' },
    ]);
    const failed = await invoke({
      calls: [
        echo('\\{{steps.2}}'),
        { toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 } },
        echo('\\{{steps.1}} {{steps.1}}'),
      ],
    });
    const body = { steps: { 1: { inputs: { b: 1 } } } };
    const { body: again } = await client.post(`/v1/invocations/${failed.id}/retry`, body, {
      prefer: 'wait=60',
      ...OPERATOR,
    });
    expect(again).toMatchObject({ result: ['{{steps.2}}', 1, '{{steps.1}} {{steps.2}}'] });
    const wrong = { steps: { 1: { inputs: { a: '{{steps.3}}' } } } };
    expect(await client.post(`/v1/invocations/${failed.id}/retry`, wrong, OPERATOR)).toMatchObject({
      status: 422,
      body: { code: 'invalid_parameters', errors: [{ path: '/steps/1/inputs/a' }] },
    });
  });

  it('A dry run shows an escaped template as text and says that it is not a template', async () => {
    const text = '<ACTION><core:echo><value>\\{{steps.1.result}}</value></core:echo></ACTION>';
    const { body } = await client.post<{ calls: unknown; observation: string }>('/v1/parse', { text }, OPERATOR);
    expect(body.calls).toMatchObject([{ toolId: 'core:echo', arguments: { value: '{{steps.1.result}}' } }]);
    expect(body.observation).toContain('is text, not a template');
  });
});

describe('The warnings of a submission', () => {
  const text = 'Hm. <ACTION><core:echo id="1"><value value="a.txt"/></core:echo></ACTION>';
  const warned = /^Observation: Warning - .*'value' of <value>.*\nObservation: Warning - .*attributes of <core:echo>/m;

  it('Warnings are in the observation of accepted, ended and refused submissions', async () => {
    const accepted = await client.post('/v1/invocations', { text }, OPERATOR);
    expect(accepted.body.observation).toMatch(/Warning - The attributes of <core:echo>/);
    const ended = await invoke({ text });
    expect(ended).toMatchObject({ result: 'a.txt', warnings: [{}, {}] });
    expect(ended.observation).toMatch(/Result: a\.txt\nObservation: Warning - /);
    const refused = await client.post(
      '/v1/invocations',
      { text: text.replace('</core:echo>', '<x/></core:echo>') },
      OPERATOR,
    );
    expect(refused.body.observation).toMatch(/Unknown parameter 'x'[^]*Observation: Warning - /);
    expect(warned.source).toBeTruthy();
  });

  it('Warnings are in the observation of batch items, of JSON calls and of a text without calls', async () => {
    const items = [
      { text },
      echo('{{steps.one}}'),
      { text: 'Done. </ACTION>' },
      { text: '</ACTION> <ACTION><core:ech/></ACTION>' },
    ];
    const { body } = await client.post<{ items: { observation: string }[] }>(
      '/v1/invocations/batch',
      { items },
      OPERATOR,
    );
    expect(body.items.map(({ observation }) => observation)).toEqual([
      expect.stringContaining('Observation: Warning - '),
      expect.stringContaining("'{{steps.one}}' is not a template"),
      'Observation: Warning - </ACTION> closes no block.',
      expect.stringContaining("Observation: Error - Unknown tool 'core:ech'"),
    ]);
  });
});
