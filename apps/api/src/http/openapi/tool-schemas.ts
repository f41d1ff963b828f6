import { ERROR_KINDS } from '@errand/contracts';
import { text, whole, free, ref, list, object, page } from './schema-terms.js';

/** Tools, what a text calls, and what is wrong with either. */
export const TOOL_SCHEMAS = {
  ParseResult: object({
    protocol: { type: ['string', 'null'] },
    responseText: text,
    trailingText: { type: ['string', 'null'] },
    calls: list(object({ toolId: text, arguments: free })),
    errors: list(ref('PlacedProblem')),
    warnings: list(ref('Warning')),
    observation: { type: ['string', 'null'] },
  }),
  PlacedProblem: object(
    { kind: { enum: ERROR_KINDS }, path: text, message: text, line: whole, column: whole, suggestion: text },
    ['kind', 'message', 'line', 'column'],
  ),
  ToolList: page('Tool'),
  Tool: object(
    {
      toolId: text,
      version: text,
      displayName: text,
      description: text,
      kind: { enum: ['node', 'workflow', 'service', 'script', 'external'] },
      parameters: free,
      output: free,
      tags: list(text),
      deprecated: { type: ['boolean', 'string'] },
      aliases: list(text),
      runner: {
        ...text,
        description: 'The label that a script-runner must offer to run its script; absent: `default`',
      },
      source: text,
      inputs: free,
      outputs: free,
      examples: list(object({ description: text, arguments: free }, ['arguments'])),
      versions: { ...list(text), description: 'Newest first; where one tool is asked for' },
      links: { type: 'object', additionalProperties: text },
    },
    ['toolId', 'version', 'displayName', 'description', 'kind', 'parameters', 'tags', 'source', 'links'],
  ),
  ToolPreview: object(
    {
      name: { ...text, description: 'What a model calls it by' },
      toolId: text,
      version: text,
      displayName: text,
      description: text,
      kind: { const: 'workflow' },
      parameters: free,
      output: free,
      tags: list(text),
    },
    ['name', 'toolId', 'version', 'displayName', 'description', 'kind', 'parameters', 'tags'],
  ),
  ToolGraph: object({
    toolId: text,
    version: text,
    nodes: list(ref('ToolGraphNode')),
    edges: list(object({ source: text, sourceHandle: text, target: text, targetHandle: text })),
    mermaid: { ...text, description: 'A Mermaid flowchart' },
  }),
  ToolGraphNode: object(
    {
      id: { ...text, description: 'As in the states of a run: `outer/inner` inside a node group' },
      type: text,
      kind: { enum: ['node', 'groupInput', 'groupOutput', 'group'] },
      displayName: text,
      group: { ...text, description: 'The node group in which it stands' },
      workflowId: { ...text, description: 'Of a node group: the workflow that it runs' },
      closed: { const: true, description: 'Of a node group: the graph is too large to show its inside' },
      bypassed: { const: true },
      muted: { const: true },
    },
    ['id', 'type', 'kind'],
  ),
  LibraryProblemList: page('LibraryProblem'),
  LibraryProblem: object({ file: text, line: whole, column: whole, field: text, message: text, suggestion: text }, [
    'file',
    'message',
  ]),
} satisfies Record<string, object>;
