import { CatalogueQuery, PromptQuery, ToolQuery } from '../tool-requests.js';
import { NOT_FOUND, parameter, problem, queryOf, responds, takes } from './path-terms.js';

const AGENT = 'Only tools that this agent may see';
const TOOL_ID = parameter('path', 'id', 'An id, an alias, or an id with a version range such as `core:echo@^1`');
const LIMIT = { type: 'integer', minimum: 1, maximum: 1000 };

const catalogue = {
  get: {
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
    }),
    responses: { 200: responds('The tools', 'ToolList'), 400: problem('`invalid_request`') },
  },
};

/** Paths of the catalogue, and of dry runs. */
export const TOOL_PATHS = {
  '/v1/parse': {
    post: {
      tags: ['protocols'],
      summary: 'Parse a text without enqueuing anything',
      requestBody: takes('ParseRequest'),
      responses: {
        200: responds('Calls, errors and warnings with their positions', 'ParseResult'),
        400: problem('`invalid_request`'),
        422: problem(
          '`invalid_request`: the `tools` of the request need too much time or memory, or the agent is unknown',
        ),
        429: problem('`rate_limited`: too many dry runs with `tools` of this tenant are in progress'),
        503: problem('`unavailable`: too many dry runs with `tools` are in progress'),
      },
    },
  },
  '/v1/tools': catalogue,
  '/api/tools': catalogue,
  '/v1/tools/problems': {
    get: {
      tags: ['tools'],
      summary: 'List the problems of invalid files of the library',
      responses: { 200: responds('The problems', 'LibraryProblemList') },
    },
  },
  '/v1/tools/prompt': {
    get: {
      tags: ['tools'],
      summary: 'Render the tools as text for a system prompt, or as the tool definitions of another API',
      parameters: queryOf(PromptQuery, {
        agent: AGENT,
        format: ['The format', { enum: ['action', 'tam', 'openai', 'anthropic', 'mcp', 'json'], default: 'action' }],
        maxChars: ['Highest length: examples are left out first, then descriptions are shortened', { type: 'integer' }],
        q: 'Only tools that match these words, the best match first',
        limit: ['Highest number of tools', LIMIT],
      }),
      responses: {
        200: {
          description: 'The prompt',
          content: { 'text/plain': { schema: { type: 'string' } }, 'application/json': {} },
        },
      },
    },
  },
  '/v1/tools/preview': {
    post: {
      tags: ['tools'],
      summary: 'Show the tool that a workflow would become, without storing it',
      requestBody: takes('PreviewRequest'),
      responses: {
        200: responds('The tool', 'ToolPreview'),
        400: problem('`invalid_request`'),
        422: problem('`invalid_request`: all problems of the workflow, as paths into the request'),
      },
    },
  },
  '/v1/tools/{id}': {
    get: {
      tags: ['tools'],
      summary: 'Read one tool with its versions',
      parameters: [TOOL_ID, ...queryOf(ToolQuery, { agent: AGENT })],
      responses: { 200: responds('The tool', 'Tool'), ...NOT_FOUND },
    },
  },
  '/v1/tools/{id}/graph': {
    get: {
      tags: ['tools'],
      summary: 'Read the graph of a workflow or node, as data and as Mermaid text',
      parameters: [TOOL_ID, ...queryOf(ToolQuery, { agent: AGENT })],
      responses: {
        200: responds('The graph', 'ToolGraph'),
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
      tags: ['operation'],
      summary: 'Check that the process runs',
      responses: { 200: { description: 'The process runs' } },
    },
  },
  '/readyz': {
    get: {
      tags: ['operation'],
      summary: 'Check that a submission would be accepted now',
      responses: { 200: responds('Ready', 'Readiness'), 503: responds('Not ready, with the reason', 'Readiness') },
    },
  },
  '/metrics': {
    get: {
      tags: ['operation'],
      summary: 'Read the metrics of this process, and the depth of the queues, for Prometheus',
      responses: { 200: { description: 'The metrics', content: { 'text/plain': { schema: { type: 'string' } } } } },
    },
  },
};
