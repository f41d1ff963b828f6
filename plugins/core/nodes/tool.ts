import { ToolError } from '@errand/contracts';
import { defineNode } from './define-node.js';

export const tool = defineNode({
  type: 'core:tool',
  displayName: 'Tool',
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
