import { isDeeperThan, MAX_DEPTH, ToolError, type Json } from '@errand/contracts';
import { defineComputation } from './define-node.js';
import { oneOf } from './one-of.js';

const MODES = {
  parse: (value: Json) => parse(value),
  stringify: (value: Json, indent: number) => JSON.stringify(value, null, indent),
};

export const json = defineComputation({
  type: 'core:json',
  displayName: 'JSON',
  description: 'Reads JSON text into a value, or writes a value as JSON text.',
  inputs: {
    value: {
      dataFlowType: 'WILDCARD',
      required: true,
      description: 'For parse: the JSON text; for stringify: any value',
    },
    mode: {
      dataFlowType: 'STRING',
      description: 'parse: text to value; stringify: value to text',
      matchCategories: ['ComboOption'],
      config: { default: 'parse', suggestions: Object.keys(MODES) },
    },
    indent: {
      dataFlowType: 'INTEGER',
      description: 'For stringify: the number of blanks to indent each level; 0 writes one line',
      config: { default: 0 },
      min: 0,
      max: 10,
    },
  },
  outputs: { result: { dataFlowType: 'WILDCARD', description: 'The value, or the JSON text' } },
  compute: ({ value, mode, indent }) => ({ result: oneOf(MODES, 'mode', mode)(value, indent) }),
});

function parse(text: Json): Json {
  if (typeof text !== 'string')
    throw new ToolError(
      'ParameterValidationError',
      "'value' must be a text to parse; what is JSON already needs no parsing",
    );
  try {
    const value = JSON.parse(text) as Json;
    if (!isDeeperThan(value)) return value;
  } catch (error) {
    throw new Error(`the text is no JSON: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  throw new Error(`the value nests deeper than ${MAX_DEPTH} levels`);
}
