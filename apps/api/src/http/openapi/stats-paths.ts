import { STATS_DIMENSIONS, STATS_METRICS } from '@errand/contracts';
import { SearchQuery } from '../../search/search.controller.js';
import { StatsRequest } from '../../stats/stats-requests.js';
import { found, NAMES_ANOTHER, problem, queryOf, responds, TENANT_OF_LIST } from './path-terms.js';
import { list, object, PARTIAL, ref, text, time, whole } from './schema-terms.js';
import { TOOL_ID } from './tool-paths.js';

const TIME = 'ISO 8601 with a time zone, a day, or ms since 1970';

/** Paths of the statistics, and of the search by name. */
export const STATS_PATHS = {
  '/v1/stats': {
    get: {
      operationId: 'getStats',
      tags: ['operation'],
      summary: 'Measure the work of the tenant over time, for charts',
      parameters: queryOf(StatsRequest, {
        metric: ['What is measured', { enum: STATS_METRICS }],
        by: ['One series for each value: the 20 highest, and `other`', { enum: STATS_DIMENSIONS }],
        from: `The begin: ${TIME}; an hour before \`to\` by default. Up to 30 days ago`,
        to: `The end: ${TIME}; now by default`,
        stepMs: [
          'The wanted length of a step. It becomes a multiple of 10 s in the last hour, of 1 min in the last 2 days, else of 15 min, and long enough for 1,000 points',
          { type: 'integer', minimum: 1 },
        ],
        tenant: TENANT_OF_LIST,
      }),
      responses: {
        200: responds('The series', 'Stats'),
        400: problem('`invalid_request`: an unknown metric or dimension, or a malformed time'),
        ...NAMES_ANOTHER,
      },
    },
  },
  '/v1/tools/{id}/stats': {
    get: {
      operationId: 'getToolStats',
      tags: ['tools'],
      summary:
        'Read how often a tool was called in the last 30 days, how that ended, and what was wrong with refused calls',
      parameters: [TOOL_ID],
      responses: found('The statistics of all its versions', 'ToolStats'),
    },
  },
  '/v1/search': {
    get: {
      operationId: 'searchByName',
      tags: ['operation'],
      summary:
        'Find invocations and refusals by the beginning of the id, and tools, agents, sessions and queues by name',
      parameters: queryOf(SearchQuery, {
        q: 'The beginning of an id, or a part of a name. Sessions are found by their whole name, or among the newest invocations',
        tenant: TENANT_OF_LIST,
      }).map((one) => (one.name === 'q' ? { ...one, required: true } : one)),
      responses: {
        200: responds('At most 20 results', 'SearchResults'),
        400: problem('`invalid_request`: q is missing'),
        ...NAMES_ANOTHER,
      },
    },
  },
};

const duration = { type: ['integer', 'null'], description: 'In ms, within 10 %; null without any' };

/** Statistics, and results of a search. */
export const STATS_SCHEMAS = {
  Stats: object({ metric: { enum: STATS_METRICS }, stepMs: whole, series: list(ref('StatsSeries')), ...PARTIAL }, [
    'metric',
    'stepMs',
    'series',
  ]),
  StatsSeries: object({
    labels: {
      type: 'object',
      additionalProperties: { type: ['string', 'null'] },
      description: 'The value of the dimension: null for what has none, `other` for all that have no series',
    },
    points: {
      ...list({ ...list({ type: 'number' }), minItems: 2, maxItems: 2 }),
      description: 'The begin of each step in ms since 1970, and its value. A percentile has no point without data',
    },
  }),
  ToolStats: object(
    {
      calls: { ...whole, description: 'The accepted invocations that call it' },
      failed: whole,
      p50Ms: duration,
      p95Ms: duration,
      errors: list(object({ type: text, count: whole })),
      refusals: list(object({ parameter: text, kind: text, count: whole })),
      lastUsedAt: time,
      ...PARTIAL,
    },
    ['calls', 'failed', 'p50Ms', 'p95Ms', 'errors', 'refusals', 'lastUsedAt'],
  ),
  SearchResults: object({ items: list(ref('SearchResult')), ...PARTIAL }, ['items']),
  SearchResult: object({
    kind: { enum: ['invocation', 'refusal', 'tool', 'agent', 'session', 'queue'] },
    id: text,
    label: text,
  }),
} satisfies Record<string, object>;
