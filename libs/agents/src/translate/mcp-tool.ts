import type { JsonSchema, Tool } from '@errand/contracts';

/** A tool as `tools/list` of MCP shows it. */
export interface McpTool {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema;
  /** Only object schemas: clients check `structuredContent` against them. */
  outputSchema?: JsonSchema;
  annotations?: McpAnnotations;
}

export interface McpAnnotations {
  readOnlyHint?: true;
  idempotentHint?: true;
  destructiveHint?: true;
}

/** The hint of each kind of effects. A tool that declares none has no hint. */
const ANNOTATIONS: Readonly<Record<NonNullable<Tool['effects']>, McpAnnotations>> = {
  none: { readOnlyHint: true },
  idempotent: { idempotentHint: true },
  once: { destructiveHint: true },
};

/** The entry of a tool in `tools/list`, under this name. */
export function toMcpTool(tool: Tool, name: string): McpTool {
  const { displayName, description, parameters, effects } = tool;
  const outputSchema = mcpOutputSchema(tool);
  return {
    name,
    title: displayName,
    description,
    inputSchema: parameters,
    ...(outputSchema && { outputSchema }),
    ...(effects && { annotations: ANNOTATIONS[effects] }),
  };
}

/** The schema of the result that MCP clients see; undefined unless it describes an object. */
export function mcpOutputSchema({ output }: Pick<Tool, 'output'>): JsonSchema | undefined {
  return output?.['type'] === 'object' ? output : undefined;
}
