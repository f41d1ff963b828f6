import type { JsonObject, JsonSchema, StoredNode } from '@errand/contracts';
import { workflow } from '../libs/engine/test/workflow-kit.js';
import { REVIEW_LIBRARY } from './support/review-library.js';
import { useStack } from './support/start-stack.js';

const DECISION: JsonSchema = {
  type: 'object',
  properties: { decision: { enum: ['approve', 'refuse'] }, note: { type: 'string' } },
  required: ['decision'],
  additionalProperties: false,
};

const asks = (id: string, schema: JsonSchema | boolean): StoredNode => ({
  id,
  type: 'core:external',
  configValues: { schema },
  inputValues: { prompt: id },
});

const { client } = useStack({
  with: ['worker'],
  library: {
    ...REVIEW_LIBRARY,
    'workflows/decide.json': workflow([asks('ask', DECISION)], ['ask.result > out.result'], { outputs: ['result'] }),
    'workflows/both.json': workflow(
      [asks('one', { type: 'integer' }), asks('other', { type: 'string' }), { id: 'pair', type: 'core:object' }],
      ['one.result > pair.one', 'other.result > pair.other', 'pair.value > out.result'],
      { outputs: ['result'] },
    ),
  },
});

const given = (text: string): JsonObject => JSON.parse(text);

/** A schema that unfolds to a billion schemas. */
const DOUBLED: JsonSchema = {
  $ref: '#/$defs/l0',
  $defs: Object.fromEntries(
    Array.from({ length: 31 }, (_, n): [string, JsonSchema] => [
      `l${n}`,
      n < 30 ? { allOf: [{ $ref: `#/$defs/l${n + 1}` }, { $ref: `#/$defs/l${n + 1}` }] } : {},
    ]),
  ),
};

describe('The schema of an answer', () => {
  it('A node shows the schema of its answer, refuses what does not fit, and waits on', async () => {
    const id = await client.submit({ toolId: 'workflow:decide', arguments: {} });
    const waiting = await client.untilWaiting(id);
    expect(waiting.steps[0]!.nodes!.find(({ nodeId }) => nodeId === 'ask')).toMatchObject({
      waiting: { for: 'answer', prompt: 'ask', schema: DECISION },
    });
    expect(await client.answer(id, { result: { decision: 'aprove', notes: 'x' } })).toMatchObject({
      status: 422,
      body: {
        code: 'invalid_parameters',
        detail: expect.stringContaining("does not fit the schema of node 'ask' (core:external)"),
        errors: [
          { path: '/result/notes', message: "Unknown field 'notes'", suggestion: 'note' },
          { path: '/result/decision', message: expect.any(String), suggestion: 'approve' },
        ],
      },
    });
    for (const result of [null, 'approve', [], {}, given('{"decision":"approve","__proto__":{}}')])
      expect(await client.answer(id, { result, nodeId: 'ask' })).toMatchObject({ status: 422 });
    expect((await client.read(id)).status).toBe('waiting_external');
    expect((await client.answer(id, { result: { decision: 'approve' }, nodeId: 'ask' })).status).toBe(202);
    expect(await client.untilEnded(id)).toMatchObject({ status: 'succeeded', result: { decision: 'approve' } });
  });

  it('An error ends the wait whatever the schema is', async () => {
    const id = await client.submit({ toolId: 'core:external', arguments: { prompt: 'May I?', schema: false } });
    expect((await client.untilWaiting(id)).steps[0]!.nodes).toMatchObject([{ waiting: { schema: false } }]);
    expect((await client.answer(id, { result: true })).status).toBe(422);
    expect((await client.answer(id, { error: { message: 'nobody knows' } })).status).toBe(202);
    expect(await client.untilEnded(id)).toMatchObject({ status: 'failed', error: { message: /nobody knows/ } });
  });

  it('Where several nodes wait, each answer is checked against the schema of its node', async () => {
    const id = await client.submit({ toolId: 'workflow:both', arguments: {} });
    await client.until(id, ({ steps }) => steps[0]!.nodes?.filter(({ waiting }) => waiting).length === 2);
    expect((await client.answer(id, { result: 1 })).status).toBe(400);
    expect((await client.answer(id, { result: 'text', nodeId: 'one' })).status).toBe(422);
    expect((await client.answer(id, { result: 1, nodeId: 'other' })).status).toBe(422);
    expect((await client.answer(id, { result: 1, nodeId: 'one' })).status).toBe(202);
    expect((await client.answer(id, { result: 'text', nodeId: 'other' })).status).toBe(202);
    expect(await client.untilEnded(id)).toMatchObject({ result: { one: 1, other: 'text' } });
  });

  it('An external tool shows its output as the schema, also where a node calls it', async () => {
    const schema = { type: 'object', required: ['ok'] };
    const alone = await client.submit({ toolId: 'review:approve', arguments: { what: 'x' } });
    expect((await client.untilWaiting(alone)).steps[0]).toMatchObject({ waiting: { schema } });
    const called = await client.submit({ toolId: 'workflow:call', arguments: {} });
    expect((await client.untilWaiting(called)).steps[0]!.nodes!.find((node) => node.waiting)).toMatchObject({
      waiting: { schema },
    });
    for (const id of [alone, called]) {
      expect((await client.answer(id, { result: { ok: 1 } })).body).toMatchObject({ errors: [{ path: '/result/ok' }] });
      expect((await client.answer(id, { result: { ok: true } })).status).toBe(202);
      expect(await client.untilEnded(id)).toMatchObject({ status: 'succeeded', result: { ok: true } });
    }
  });

  it.each<[what: string, schema: JsonSchema, words: RegExp]>([
    ['has a wrong type', { type: 'objct' }, /schema of the answer is invalid: .*type/],
    ['refers to nothing', { $ref: '#/$defs/gone' }, /invalid: .*gone/],
    ['refers to another document', { $ref: 'https://example.com/schema.json' }, /invalid: .*example/],
    ['unfolds to a billion schemas', DOUBLED, /unfold to more than/],
    ['has a pattern with look-ahead', { pattern: '(?=a)' }, /invalid/],
    ['is too long', { enum: Array.from({ length: 20_000 }, (_, n) => n) }, /at most 50000/],
  ])('A call whose schema %s fails before it waits', async (_what, schema, words) => {
    const ended = await client.invoke({ toolId: 'core:external', arguments: { schema } });
    expect(ended).toMatchObject({ status: 'failed', error: { type: 'ParameterValidationError' } });
    expect(ended.error!.message).toMatch(words);
  });

  it('An answer that is costly to check is refused or taken in time, and the API responds meanwhile', async () => {
    const schema = { items: { anyOf: Array.from({ length: 300 }, (_, n) => ({ const: `a ${n}` })) } };
    const id = await client.submit({ toolId: 'core:external', arguments: { schema } });
    await client.untilWaiting(id);
    const answer = client.answer(id, { result: Array.from({ length: 50_000 }, () => 'a 299 and more') });
    expect((await client.get('/healthz')).status).toBe(200);
    expect((await answer).status).toBe(422);
    expect((await client.answer(id, { result: ['a 7'] })).status).toBe(202);
    expect((await client.untilEnded(id)).status).toBe('succeeded');
  });
});
