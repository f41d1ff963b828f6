import { parameter, answers, takes, problem, NOT_FOUND } from './path-terms.js';

const AGENT = parameter('query', 'agent', 'Only what exists for this agent');

const catalogue = {
  get: {
    tags: ['tools'],
    summary: 'The catalogue of tools',
    parameters: [
      parameter('query', 'namespace', 'What stands before the colon of the id'),
      parameter('query', 'tag', 'A tag'),
      parameter('query', 'kind', 'What stands behind the tool', {
        enum: ['node', 'workflow', 'service', 'script', 'external'],
      }),
      AGENT,
      parameter(
        'query',
        'q',
        'Words to look for in id, name, description, tags and parameters; the best fit comes first',
      ),
      parameter('query', 'limit', 'At most this many; all without it', { type: 'integer', minimum: 1, maximum: 1000 }),
      parameter('query', 'cursor', 'The nextCursor of the page before'),
    ],
    responses: { 200: answers('The tools', 'ToolList'), 400: problem('Not a valid filter') },
  },
};

/** What can be called, and how a text would be understood. */
export const TOOL_PATHS = {
  '/v1/parse': {
    post: {
      tags: ['protocols'],
      summary: 'Dry run: what would a text call?',
      requestBody: takes('ParseRequest'),
      responses: {
        200: answers('Calls, errors and warnings with their places', 'ParseResult'),
        400: problem('Not a valid request'),
        422: problem('The `tools` of the request cost too much: the run was stopped'),
        429: problem('Too many dry runs with `tools` of this tenant are in progress'),
        503: problem('Too many dry runs with `tools` are in progress'),
      },
    },
  },
  '/v1/tools': catalogue,
  '/api/tools': catalogue,
  '/v1/tools/problems': {
    get: {
      tags: ['tools'],
      summary: 'Files of the library that were left out, and why',
      responses: { 200: answers('The problems', 'LibraryProblemList') },
    },
  },
  '/v1/tools/prompt': {
    get: {
      tags: ['tools'],
      summary: 'The tools as text for a system prompt, or as the tool definitions of another API',
      parameters: [
        AGENT,
        parameter('query', 'format', 'The form', {
          enum: ['action', 'tam', 'openai', 'anthropic', 'mcp', 'json'],
          default: 'action',
        }),
        parameter('query', 'q', 'Only tools that fit these words, the best first'),
        parameter('query', 'limit', 'At most this many tools', { type: 'integer', minimum: 1, maximum: 1000 }),
        parameter('query', 'maxChars', 'Leave out examples, then shorten descriptions, to fit', { type: 'integer' }),
      ],
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
      summary: 'The tool that a workflow would become; nothing is kept',
      requestBody: takes('PreviewRequest'),
      responses: {
        200: answers('The tool', 'ToolPreview'),
        400: problem('Not a valid request'),
        422: problem('The workflow cannot run: every problem, as a path into the request'),
      },
    },
  },
  '/v1/tools/{id}': {
    get: {
      tags: ['tools'],
      summary: 'One tool, with its versions',
      parameters: [parameter('path', 'id', 'An id, an alias, or an id with a range: `core:echo@^1`'), AGENT],
      responses: { 200: answers('The tool', 'Tool'), ...NOT_FOUND },
    },
  },
  '/v1/tools/{id}/graph': {
    get: {
      tags: ['tools'],
      summary: 'The graph of a workflow or node, as data and as Mermaid text',
      parameters: [parameter('path', 'id', 'An id, an alias, or an id with a range: `core:echo@^1`'), AGENT],
      responses: {
        200: answers('The graph', 'ToolGraph'),
        ...NOT_FOUND,
        409: problem('The tool is neither a workflow nor a node'),
      },
    },
  },
};

/** For those who operate it. */
export const OPERATION_PATHS = {
  '/healthz': {
    get: { tags: ['operation'], summary: 'The process lives', responses: { 200: { description: 'It does' } } },
  },
  '/readyz': {
    get: {
      tags: ['operation'],
      summary: 'A submission would be accepted now',
      responses: { 200: answers('It would', 'Readiness'), 503: answers('It would not, and why', 'Readiness') },
    },
  },
  '/metrics': {
    get: {
      tags: ['operation'],
      summary: 'Figures of this process, and the depth of the queues, for Prometheus',
      responses: { 200: { description: 'Figures', content: { 'text/plain': { schema: { type: 'string' } } } } },
    },
  },
};
