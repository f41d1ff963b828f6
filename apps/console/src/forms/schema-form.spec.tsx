import * as fc from 'fast-check';
import { renderToString } from 'preact-render-to-string';
import { initialText } from './initial-text.js';
import SchemaForm from './schema-form.js';

const drawn = (schema: unknown, text: string) => {
  const changes: string[] = [];
  const html = renderToString(
    <SchemaForm schema={schema} text={text} onText={(next) => changes.push(next)} name="a" />,
  );
  expect(changes).toEqual([]);
  return html;
};

const ORDER = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $defs: {
    address: { type: 'object', properties: { street: { type: 'string' } }, required: ['street'] },
    node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, name: { type: 'string' } } },
  },
  type: 'object',
  properties: {
    to: { $ref: '#/$defs/address', description: 'Where it goes' },
    tree: { $ref: '#/$defs/node' },
    count: { type: 'integer', default: 3 },
    fragile: { type: 'boolean' },
    speed: { enum: ['slow', 'fast'] },
    version: { const: 2 },
    rows: { type: 'array', items: { type: 'array', items: { type: 'number' } } },
    payment: {
      oneOf: [
        { title: 'Card', type: 'object', properties: { kind: { const: 'card' }, number: { type: 'string' } } },
        { title: 'Bill', type: 'object', properties: { kind: { const: 'bill' }, days: { type: 'integer' } } },
      ],
    },
    id: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    odd: { not: { type: 'string' } },
  },
  required: ['to', 'version'],
};

describe('The form of a JSON Schema', () => {
  it('The form begins with the defaults, the constants and the required objects', () => {
    expect(JSON.parse(initialText(ORDER))).toEqual({ to: {}, count: 3, version: 2 });
    expect(initialText({ type: 'boolean' })).toBe('');
  });

  it('A form without a typed value shows no mistake, and names one after a change', () => {
    const schema = { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }], minProperties: 1 };
    expect(drawn(schema, initialText(schema))).not.toContain('does not fit');
    expect(drawn(schema, '{"c": 1}')).toContain('does not fit one of the alternatives');
  });

  it('The form draws references, alternatives, choices, constants and nested lists', () => {
    const text =
      '{"to": {"street": "Elm"}, "version": 2, "rows": [[1.0]], "payment": {"kind": "bill", "days": 5}, "speed": "fast"}';
    const html = drawn(ORDER, text);
    for (const shown of ['value="Elm"', 'Where it goes', 'value="1.0"', '>Bill<', 'value="5"', '>fast<'])
      expect(html).toContain(shown);
    expect(html).toMatch(/<option selected value="1">Bill/);
  });

  it('A part that cannot be drawn, and a value that does not fit, are shown as JSON with the reason', () => {
    const html = drawn(ORDER, '{"odd": [1e400], "count": "many", "unknown": {"kept": true}}');
    expect(html).toContain('Shown as JSON');
    for (const shown of ['[1e400]', '&quot;many&quot;', '{&quot;kept&quot;: true}', 'not of the type number'])
      expect(html.replaceAll('"', '&quot;')).toContain(shown.replaceAll('"', '&quot;'));
  });

  it('A broken text, an unknown reference and a circle of references break nothing', () => {
    expect(drawn(ORDER, '{"to": ')).toContain('Line 1, column 8');
    expect(drawn({ $ref: '#/$defs/none' }, '1')).toContain('cannot be followed');
    expect(drawn({ $ref: '#' }, '1')).toContain('cannot be followed');
    expect(drawn({ anyOf: [{ $ref: '#' }] }, '1')).toContain('names itself');
    expect(drawn({ $ref: 'https://elsewhere.example/schema' }, '{}')).toContain('cannot be followed');
  });

  it('Names of the prototype are names like any other', () => {
    const schema = JSON.parse('{"type": "object", "properties": {"__proto__": {"type": "string", "title": "Of old"}}}');
    expect(drawn(schema, '{"__proto__": "kept", "constructor": 1}')).toContain('value="kept"');
    expect(JSON.parse(initialText({ type: 'object', required: ['toString'] }))).toEqual({});
  });

  it('Drawing any value by any schema changes nothing and does not throw', () => {
    const schemas = fc.oneof(fc.constant<unknown>(ORDER), fc.jsonValue({ maxDepth: 4 }));
    fc.assert(fc.property(schemas, fc.json(), (schema, text) => void drawn(schema, text)));
  });
});
