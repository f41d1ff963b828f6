import { ToolError, type Json } from '@errand/contracts';
import { defineNode, defineComputation } from './define-node.js';
import { asText } from './as-text.js';
import { readable } from './evaluate-expression.js';
import { BY, BY_COMPUTATION, keysOf } from './keys-of.js';

export const tool = defineNode({
  type: 'core:tool',
  displayName: 'Tool',
  effects: 'none',
  description: 'Runs a registered tool (a script, a service, a workflow) as a step of this workflow.',
  inputs: { arguments: { dataFlowType: 'OBJECT', description: 'The arguments of the tool', config: { default: {} } } },
  outputs: { result: { dataFlowType: 'WILDCARD', description: 'The result of the tool' } },
  config: { toolId: { type: 'string', description: 'The id of the tool, such as text:slugify' } },
  async run(inputs, context) {
    const { toolId } = context.config;
    if (typeof toolId !== 'string' || toolId === '')
      throw new ToolError('ParameterValidationError', "The setting 'toolId' is missing");
    return { result: await context.callTool(toolId, inputs.arguments) };
  },
});

export const group = defineComputation({
  type: 'core:group',
  displayName: 'Group',
  description:
    'Sorts the items of a list into groups by a key. Returns an object with a list of items for each key; the items keep their order.',
  inputs: {
    items: { dataFlowType: 'ARRAY', required: true, description: 'The list' },
    by: {
      ...BY,
      description: 'A CEL expression on item that gives the key, such as item.city; a number is written as text',
    },
  },
  outputs: { groups: { dataFlowType: 'OBJECT', description: 'The items of each key, by key' } },
  checks: { by: readable('by') },
  ...BY_COMPUTATION,
  compute({ items, by }) {
    const groups = new Map<string, Json[]>();
    const names = keysOf(items, by).map(asText);
    for (const [index, item] of items.entries()) {
      const name = names[index] ?? '';
      const members = groups.get(name);
      if (members) members.push(item);
      else groups.set(name, [item]);
    }
    return { groups: Object.fromEntries(groups) };
  },
});
