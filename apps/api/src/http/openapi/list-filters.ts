import { BATCH_ID, ERROR_TYPES, INVOCATION_ID, STATUSES } from '@errand/contracts';
import { commaList, parameter } from './path-terms.js';
import { FILTER, METADATA_FILTER, TIME } from './query-terms.js';

const UPDATED_AFTER = parameter(
  'query',
  'updatedAfter',
  'Only invocations whose status changed at this time or later, oldest change first',
  TIME,
);

/** The parameters of a stream that select invocations. */
export const STREAM_FILTERS = [
  parameter(
    'query',
    'tenant',
    'The tenant whose invocations are listed; only the operator may name another than its own',
  ),
  commaList('status', 'Only invocations with one of these statuses', { enum: STATUSES }),
  parameter('query', 'toolId', 'Only invocations that call this tool', FILTER),
  parameter('query', 'agent', 'Only invocations of this agent', FILTER),
  parameter('query', 'session', 'Only invocations of this session', FILTER),
  parameter('query', 'batch', 'Only invocations that this batch made', {
    type: 'string',
    pattern: BATCH_ID.source,
  }),
  parameter('query', 'parent', 'Only invocations that run the calls of this turn', {
    type: 'string',
    pattern: INVOCATION_ID.source,
  }),
  METADATA_FILTER,
  parameter('query', 'from', 'Only invocations that were accepted at this time (ISO 8601) or later', TIME),
  parameter('query', 'to', 'Only invocations that were accepted before this time', TIME),
  parameter('query', 'finishedFrom', 'Only invocations that ended at this time or later', TIME),
  parameter('query', 'finishedTo', 'Only invocations that ended before this time', TIME),
  commaList(
    'ids',
    'Only these invocations. Unknown ids are absent',
    { type: 'string', pattern: INVOCATION_ID.source },
    { maxItems: 100 },
  ),
  parameter('query', 'errorType', 'Only invocations that ended with an error of this type', {
    enum: Object.keys(ERROR_TYPES),
  }),
];

/** The parameters of lists and counts that select invocations. */
export const LIST_FILTERS = [...STREAM_FILTERS, UPDATED_AFTER];
