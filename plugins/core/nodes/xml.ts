import { ToolError, type Json } from '@errand/contracts';
import { defineComputation } from './define-node.js';
import { oneOf } from './one-of.js';
import { readXml } from './read-xml.js';
import { writeXml } from './write-xml.js';

const OPERATIONS: Record<string, (value: Json) => Json> = {
  parse: (value) => {
    if (typeof value === 'string') return readXml(value);
    throw new ToolError('ParameterValidationError', "'value' must be the XML text for parse");
  },
  build: (value) => writeXml(value),
};

export const xml = defineComputation({
  type: 'core:xml',
  displayName: 'XML',
  description:
    "Reads XML text into a value, or writes a value as XML text. An element is an object: attributes are '@_name', text beside them is '#text', and an element that occurs several times is a list. Every value that was read is a text.",
  inputs: {
    op: {
      dataFlowType: 'STRING',
      required: true,
      description: 'parse: text to value; build: value to text',
      matchCategories: ['ComboOption'],
      config: { suggestions: Object.keys(OPERATIONS) },
    },
    value: {
      dataFlowType: 'WILDCARD',
      required: true,
      description: 'For parse: the XML text; for build: an object with one name, the root element',
    },
  },
  outputs: { value: { dataFlowType: 'WILDCARD', description: 'The value, or the XML text' } },
  bypassBehavior: { passThrough: { value: 'value' } },
  compute: ({ op, value }) => ({ value: oneOf(OPERATIONS, 'op', op)(value) }),
});
