import type { JsonSchema } from '@errand/contracts';
import { answerOfResponse, inputKeyOf, toInputRequests } from './mcp-input.js';

const asked = (schema?: JsonSchema | boolean) => ({
  asker: 'core:external',
  nodeId: 'ask',
  waiting: { prompt: 'Well?', ...(schema !== undefined && { schema }) },
});
const formOf = (schema?: JsonSchema | boolean) => toInputRequests([asked(schema)])?.['ask']?.params.requestedSchema;
const accept = (content: unknown) => ({ action: 'accept', content });

describe('A question to the user of an MCP client', () => {
  it('The key is the id of the node, or `answer` for an external tool', () => {
    expect([inputKeyOf({ nodeId: 'ask' }), inputKeyOf({})]).toEqual(['ask', 'answer']);
  });

  it('The prompt is the message, as text or as JSON, and no question is no request', () => {
    expect(toInputRequests([asked()])?.['ask']).toMatchObject({
      method: 'elicitation/create',
      params: { mode: 'form', message: 'Well?' },
    });
    const tool = { asker: 'hr:ask', waiting: { prompt: { question: 'Who?' } } };
    expect(toInputRequests([tool])?.['answer']?.params.message).toBe('{"question":"Who?"}');
    expect(toInputRequests([{ asker: 'hr:ask', waiting: {} }])?.['answer']?.params.message).toContain('hr:ask');
    expect(toInputRequests([])).toBeUndefined();
  });

  it('A flat object is a form with its fields, without keywords that forms do not have', () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string', title: 'Name', minLength: 1, pattern: '^a' },
        mail: { type: 'string', format: 'email' },
        id: { type: 'string', format: 'uuid' },
        age: { type: 'integer', minimum: 0, multipleOf: 2 },
        ok: { type: ['boolean', 'null'], default: true },
        color: { enum: ['red', 'blue'] },
        size: { oneOf: [{ const: 's', title: 'Small' }] },
        tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, maxItems: 2 },
      },
      required: ['name'],
    };
    expect(formOf(schema)).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string', title: 'Name', minLength: 1 },
        mail: { type: 'string', format: 'email' },
        id: { type: 'string' },
        age: { type: 'integer', minimum: 0 },
        ok: { type: 'boolean', default: true },
        color: { type: 'string', enum: ['red', 'blue'] },
        size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }] },
        tags: { type: 'array', maxItems: 2, items: { type: 'string', enum: ['a', 'b'] } },
      },
      required: ['name'],
    });
  });

  it('A scalar is one field, and its value is the answer', () => {
    expect(formOf({ type: 'boolean' })).toEqual({
      type: 'object',
      properties: { result: { type: 'boolean' } },
      required: ['result'],
    });
    expect(answerOfResponse(accept({ result: true }), asked({ type: 'boolean' }))).toEqual({ result: true });
    expect(answerOfResponse(accept({}), asked({ type: 'boolean' }))).toEqual({ result: null });
  });

  it('A value that no form can have is one field with JSON text', () => {
    const schema = { type: 'object', properties: { a: { type: 'object' } } };
    expect(formOf(schema)?.properties['result']).toMatchObject({ type: 'string' });
    expect(answerOfResponse(accept({ result: '{"a":{}}' }), asked(schema))).toEqual({ result: { a: {} } });
    expect(answerOfResponse(accept({ result: '{a' }), asked(schema))).toEqual({ result: '{a' });
  });

  it('Without a schema the content is the answer', () => {
    for (const schema of [undefined, true])
      expect(answerOfResponse(accept({ anything: 1 }), asked(schema))).toEqual({ result: { anything: 1 } });
  });

  it('A declined and a closed question are errors', () => {
    expect(answerOfResponse({ action: 'decline' }, asked())).toEqual({
      error: { message: expect.stringContaining('declined') },
    });
    expect(answerOfResponse({ action: 'cancel' }, asked())).toEqual({
      error: { message: expect.stringContaining('closed') },
    });
  });

  it.each([[undefined], [null], [7], ['accept'], [[]], [{}], [{ action: 'maybe' }], [accept(7)], [accept([])]])(
    'The response %j is no answer',
    (response) => {
      expect(answerOfResponse(response, asked())).toBeUndefined();
    },
  );
});
