import type { JsonSchema, ToolInterface } from '@errand/contracts';
import { aliasOf } from './alias-of.js';

export type DefinitionFormat = 'openai' | 'anthropic' | 'mcp' | 'json';
type Describe = (tool: ToolInterface) => Record<string, unknown>;

const FORMATS: Record<DefinitionFormat, Describe> = {
  openai: (tool) => ({
    type: 'function',
    function: { name: aliasOf(tool.toolId), description: tool.description, parameters: objectSchema(tool.parameters) },
  }),
  anthropic: (tool) => ({
    name: aliasOf(tool.toolId),
    description: tool.description,
    input_schema: objectSchema(tool.parameters),
  }),
  mcp: (tool) => ({
    name: aliasOf(tool.toolId),
    title: tool.displayName,
    description: tool.description,
    inputSchema: objectSchema(tool.parameters),
    ...(tool.output?.type === 'object' && { outputSchema: tool.output }),
  }),
  json: ({ toolId, version, displayName, description, kind, parameters, output, tags, deprecated }) => ({
    toolId,
    version,
    displayName,
    description,
    kind,
    parameters,
    ...(output && { output }),
    tags,
    ...(deprecated !== undefined && { deprecated }),
  }),
};

/** Converts tools to the tool definitions of another API. Their names are aliases, which calls may use. */
export function toToolDefinitions(
  tools: readonly ToolInterface[],
  format: DefinitionFormat,
): Record<string, unknown>[] {
  return tools.map(FORMATS[format]);
}

/** These APIs require an object schema with `properties`, even an empty one. */
function objectSchema(parameters: JsonSchema): JsonSchema {
  return { properties: {}, ...parameters, type: 'object' };
}
