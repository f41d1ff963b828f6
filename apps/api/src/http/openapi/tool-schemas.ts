import { ERROR_KINDS, STATUSES, TOOL_KINDS } from '@errand/contracts';
import { PROBLEM_FIELDS } from './problem-schema.js';
import { text, time, whole, free, ref, list, object, page, TEXT_RANGE, VALUE_PLACES } from './schema-terms.js';

const FIX = {
  ...object({ ...TEXT_RANGE.properties, text }),
  description: 'One edit of the text that corrects the error: the replacement of a range',
};

const GRAPH = {
  toolId: text,
  version: text,
  nodes: list(ref('ToolGraphNode')),
  edges: list(object({ source: text, sourceHandle: text, target: text, targetHandle: text })),
  mermaid: { ...text, description: 'A Mermaid flowchart' },
};

const GRAPH_NODE = {
  id: { ...text, description: 'The key of the node in a run, such as `outer/inner` inside a node group' },
  type: text,
  kind: { enum: ['node', 'groupInput', 'groupOutput', 'group'] },
  displayName: text,
  group: { ...text, description: 'The node group around the node' },
  workflowId: { ...text, description: 'The workflow that a node group runs' },
  closed: { const: true, description: 'The graph is too large to show the nodes inside this group' },
  bypassed: { const: true },
  muted: { const: true },
};

const declared = { type: ['object', 'null'], additionalProperties: true };
/** Only with `details=true`; null is not declared. */
const TOOL_DETAILS = {
  limits: declared,
  effects: { enum: ['none', 'idempotent', 'once', null] },
  reuse: { enum: ['never', 'per-tool', null] },
  retry: declared,
  securityContext: declared,
  digest: text,
  stats: {
    ...object({ calls: whole, failed: whole, lastUsedAt: time }),
    description: 'The calls of the last 30 days; only in a list with `details=true`',
  },
};

/** Tools, parsed texts, and their problems. */
export const TOOL_SCHEMAS = {
  ParseResult: object({
    protocol: { type: ['string', 'null'] },
    responseText: text,
    trailingText: { type: ['string', 'null'] },
    calls: list(
      object({
        toolId: text,
        arguments: free,
        place: TEXT_RANGE,
        places: VALUE_PLACES,
      }),
    ),
    errors: list(ref('PlacedProblem')),
    warnings: list(ref('Warning')),
    observation: { type: ['string', 'null'] },
  }),
  PlacedProblem: object(
    { ...PROBLEM_FIELDS, kind: { enum: ERROR_KINDS }, endLine: whole, endColumn: whole, fix: FIX },
    ['kind', 'message', 'line', 'column'],
  ),
  ToolList: page('Tool'),
  Tool: object(
    {
      toolId: text,
      version: text,
      displayName: text,
      description: text,
      kind: { enum: [...TOOL_KINDS] },
      parameters: free,
      output: free,
      tags: list(text),
      deprecated: { type: ['boolean', 'string'] },
      aliases: list(text),
      runner: {
        type: ['string', 'null'],
        description: 'The label that a script-runner must offer to run the script; `default` if absent or null',
      },
      source: text,
      inputs: free,
      outputs: free,
      otherInputs: { ...free, description: 'The slot of each input of any other name, if the node takes such inputs' },
      examples: list(object({ description: text, arguments: free }, ['arguments'])),
      versions: { ...list(text), description: 'Newest first; only in the response for one tool' },
      links: { type: 'object', additionalProperties: text },
      ...TOOL_DETAILS,
    },
    ['toolId', 'version', 'displayName', 'description', 'kind', 'parameters', 'tags', 'source', 'links'],
  ),
  ToolPreview: object(
    {
      name: { ...text, description: 'The name for models' },
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
  ToolGraph: object(GRAPH),
  StepGraph: object({ ...GRAPH, nodes: list(ref('StepGraphNode')) }),
  ToolGraphNode: object(GRAPH_NODE, ['id', 'type', 'kind']),
  StepGraphNode: object(
    {
      ...GRAPH_NODE,
      status: {
        enum: [...STATUSES, 'skipped'],
        description: 'A node that has not begun is `queued`, and after the end of the step `skipped`',
      },
      attempts: { ...whole, description: 'The number of starts' },
      startedAt: time,
      finishedAt: time,
    },
    ['id', 'type', 'kind', 'status', 'attempts', 'startedAt', 'finishedAt'],
  ),
  LibraryProblemList: page('LibraryProblem'),
  LibraryProblem: object(
    {
      file: { ...text, description: 'Its path on the host for the operator, its path inside the library for others' },
      line: whole,
      column: whole,
      field: text,
      message: text,
      suggestion: text,
      server: text,
      since: text,
    },
    ['file', 'message'],
  ),
} satisfies Record<string, object>;
