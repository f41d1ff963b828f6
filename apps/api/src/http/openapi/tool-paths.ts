import { CatalogueQuery, OneToolQuery, PromptQuery, ToolQuery } from '../tool-requests.js';
import {
  NOT_FOUND,
  NOT_MODIFIED,
  parameter,
  problem,
  queryOf,
  responds,
  tagged,
  TAG_HEADERS,
  takes,
} from './path-terms.js';
import { INDEX } from './query-terms.js';
import { list, object, text } from './schema-terms.js';

const AGENT = 'Only tools that this agent may see';
const DETAILS = 'true: also what its file declares for its runs; in a list, also the calls of the last 30 days';
export const TOOL_ID = parameter('path', 'id', 'An id, an alias, or an id with a version range such as `core:echo@^1`');
const LIMIT = { type: 'integer', minimum: 1, maximum: 1000 };

const catalogue = (operationId: string) => ({
  get: {
    operationId,
    tags: ['tools'],
    summary: 'List the tools',
    parameters: queryOf(CatalogueQuery, {
      namespace: 'The part of the id before the colon',
      tag: 'A tag',
      kind: 'The kind of implementation',
      agent: AGENT,
      q: 'Words in id, name, description, tags and parameters; the best match comes first',
      limit: ['Highest number of tools; all by default', LIMIT],
      cursor: 'The nextCursor of the previous page',
      details: DETAILS,
    }),
    responses: tagged('The tools', 'ToolList'),
  },
});

/** Paths of the catalogue, and of dry runs. */
export const TOOL_PATHS = {
  '/v1/parse': {
    post: {
      operationId: 'parseText',
      tags: ['protocols'],
      summary: 'Parse a text without enqueuing anything',
      requestBody: takes('ParseRequest'),
      responses: {
        200: responds('Calls, errors and warnings with their positions', 'ParseResult'),
        422: problem(
          '`invalid_request`: the `tools` of the request need too much time or memory, or the agent is unknown',
        ),
        429: problem('`rate_limited`: too many dry runs with `tools` of this tenant are in progress'),
        503: problem('`unavailable`: too many dry runs with `tools` are in progress'),
      },
    },
  },
  '/v1/tools': catalogue('listTools'),
  '/api/tools': catalogue('listToolsAtOldPath'),
  '/v1/tools/problems': {
    get: {
      operationId: 'listLibraryProblems',
      tags: ['tools'],
      summary: 'List the problems of invalid files of the library',
      responses: tagged('The problems', 'LibraryProblemList'),
    },
  },
  '/v1/tools/prompt': {
    get: {
      operationId: 'getToolsPrompt',
      tags: ['tools'],
      summary: 'Render the tools as text for a system prompt, or as the tool definitions of another API',
      parameters: queryOf(PromptQuery, {
        agent: AGENT,
        format: ['The format', { enum: ['action', 'tam', 'openai', 'anthropic', 'mcp', 'json'], default: 'action' }],
        maxChars: ['Highest length: examples are left out first, then descriptions are shortened', INDEX],
        toolId: 'Only this tool',
        q: 'Only tools that match these words, the best match first',
        limit: ['Highest number of tools', LIMIT],
      }),
      responses: {
        ...NOT_FOUND,
        200: {
          description: 'The prompt, or the tool definitions',
          headers: TAG_HEADERS,
          content: { 'text/plain': { schema: text }, 'application/json': { schema: list({ type: 'object' }) } },
        },
        ...NOT_MODIFIED,
      },
    },
  },
  '/v1/tools/preview': {
    post: {
      operationId: 'previewWorkflow',
      tags: ['tools'],
      summary: 'Show the tool that a workflow would become, without storing it',
      requestBody: takes('PreviewRequest'),
      responses: {
        200: responds('The tool', 'ToolPreview'),
        422: problem('`invalid_request`: the first 100 problems of the workflow, as paths into the request'),
      },
    },
  },
  '/v1/tools/{id}': {
    get: {
      operationId: 'getTool',
      tags: ['tools'],
      summary: 'Read one tool with its versions',
      parameters: [TOOL_ID, ...queryOf(OneToolQuery, { agent: AGENT, details: DETAILS })],
      responses: { ...tagged('The tool', 'Tool'), ...NOT_FOUND },
    },
  },
  '/v1/tools/{id}/graph': {
    get: {
      operationId: 'getToolGraph',
      tags: ['tools'],
      summary: 'Read the graph of a workflow or node, as data and as Mermaid text',
      parameters: [TOOL_ID, ...queryOf(ToolQuery, { agent: AGENT })],
      responses: {
        ...tagged('The graph', 'ToolGraph'),
        ...NOT_FOUND,
        409: problem('`conflict`: the tool is neither a workflow nor a node'),
      },
    },
  },
};

/** Paths for operators. */
export const OPERATION_PATHS = {
  '/healthz': {
    get: {
      operationId: 'checkLiveness',
      tags: ['operation'],
      summary: 'Check that the process runs',
      security: [],
      responses: {
        200: {
          description: 'The process runs',
          content: { 'application/json': { schema: object({ status: { const: 'ok' } }) } },
        },
      },
    },
  },
  '/readyz': {
    get: {
      operationId: 'checkReadiness',
      tags: ['operation'],
      summary: 'Check that a submission would be accepted now',
      security: [],
      responses: { 200: responds('Ready', 'Readiness'), 503: responds('Not ready, with the reason', 'Readiness') },
    },
  },
  '/metrics': {
    get: {
      operationId: 'getMetrics',
      tags: ['operation'],
      summary: 'Read the metrics of this process, and the depth of the queues, for Prometheus',
      responses: { 200: { description: 'The metrics', content: { 'text/plain': { schema: { type: 'string' } } } } },
    },
  },
};
