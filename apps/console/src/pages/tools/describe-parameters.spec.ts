import type { JsonSchema } from '@errand/contracts';
import { describeParameters } from './describe-parameters.js';

describe('The parameters of a tool', () => {
  it('Each has its type, whether it is required, and its bounds', () => {
    const schema: JsonSchema = {
      type: 'object',
      required: ['op'],
      properties: {
        op: { enum: ['add', 'divide'], description: 'What to do' },
        tags: { type: 'array', items: { type: 'string' }, maxItems: 3 },
        limit: { type: ['integer', 'null'], default: 10 },
        either: { oneOf: [{ type: 'string' }, { $ref: '#/$defs/place' }] },
        free: true,
      },
    };
    expect(
      describeParameters(schema).map(({ name, type, isRequired, rest }) => [name, type, isRequired, rest]),
    ).toEqual([
      ['op', 'one of', true, 'enum: ["add","divide"]'],
      ['tags', 'array of string', false, 'maxItems: 3'],
      ['limit', 'integer or null', false, 'default: 10'],
      ['either', 'string or #/$defs/place', false, 'oneOf: [{"type":"string"},{"$ref":"#/$defs/place"}]'],
      ['free', 'any', false, ''],
    ]);
  });

  it('Names of a hostile schema are names like others', () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"type":"string"},"constructor":{"description":7},"b":null},"required":"b"}',
    ) as JsonSchema;
    expect(describeParameters(schema).map(({ name, type, description }) => [name, type, description])).toEqual([
      ['__proto__', 'string', ''],
      ['constructor', 'any', ''],
      ['b', 'any', ''],
    ]);
    expect(describeParameters({ properties: 3 })).toEqual([]);
    expect(describeParameters({})).toEqual([]);
  });
});
