import { JSONPathEnvironment, type JSONPathQuery } from 'json-p3';
import { ToolError, type Json } from '@errand/contracts';
import { computation, languageLimits } from './computation.js';
import { defineNode } from './define-node.js';
import { walkPath, type PathStep } from './walk-path.js';

const jsonPaths = new JSONPathEnvironment();
const MAX_LENGTH = 1_000;

export const jsonPath = defineNode({
  type: 'core:json-path',
  displayName: 'JSON path',
  description:
    'Takes a part out of a JSON value by its JSONPath (RFC 9535). A path to one place, such as $.user.name or $.items[0], gives what is there, or an error that says how far it leads; a query, such as $.items[*].id, $..name or $.items[?@.price < 10], gives the list of all that it finds.',
  inputs: {
    value: { dataFlowType: 'WILDCARD', required: true, description: 'The value to look into' },
    path: {
      dataFlowType: 'STRING',
      required: true,
      description:
        "Where to look: $.a.b[0], $['odd name'], $.list[-1], $.items[*].id, $.items[?@.price < 10 && @.stock > 0].name",
    },
  },
  outputs: {
    value: { dataFlowType: 'WILDCARD', description: 'What is there; of a query, the list of all that it finds' },
  },
  checks: { path: (path) => void compile(path) },
  // A path to one place costs its steps, however large the value is.
  run({ value, path }, context) {
    const query = compile(path);
    return query.singularQuery() ? { value: walkPath(value, stepsOf(query)) } : find({ value, path }, context);
  },
});

const find = computation<{ value: Json; path: string }>('core:json-path', {
  limits: languageLimits('path'),
  compute: ({ value, path }) => ({ value: compile(path).query(value).values() as Json[] }),
  // Without descendants, filters and lists of selectors a query visits each value once at the most.
  isCheap: ({ path }) => !/\.\.|[?,]/.test(path),
});

/** The `$.` may be missing: `user.name` can mean nothing else. */
function compile(path: string): JSONPathQuery {
  if (path.length > MAX_LENGTH)
    throw new ToolError('ParameterValidationError', `'path' is longer than ${MAX_LENGTH} characters`);
  const whole = path.startsWith('$') ? path : /^[.[]|^$/.test(path) ? `$${path}` : `$.${path}`;
  try {
    return jsonPaths.compile(whole);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ToolError(
      'ParameterValidationError',
      `'${path}' is no JSONPath: ${reason}. Write $.name, [0], ['odd name'], [*], ..name or [?@.price < 10]`,
    );
  }
}

/** The steps of a path that leads to one place: each of its segments has one selector, a name or an index. */
function stepsOf(query: JSONPathQuery): PathStep[] {
  return query.segments
    .flatMap((segment) => segment.selectors as Partial<{ name: string; index: number }>[])
    .map(({ name, index }) => (name === undefined ? { index: index! } : { key: name }));
}
