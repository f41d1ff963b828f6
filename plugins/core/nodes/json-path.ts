import { JSONPathEnvironment, type JSONPathQuery } from 'json-p3';
import { ToolError, type Json } from '@errand/contracts';
import { computation, languageLimits } from './computation.js';
import { defineNode } from './define-node.js';
import { walkPath, type PathStep } from './walk-path.js';

let environment: JSONPathEnvironment | undefined;
const MAX_LENGTH = 1_000;

export const jsonPath = defineNode({
  type: 'core:json-path',
  displayName: 'JSON path',
  effects: 'none',
  description:
    'Reads a part of a JSON value by its JSONPath (RFC 9535). A path to one place, such as $.user.name or $.items[0], returns the value there, or an error if the place does not exist. A query, such as $.items[*].id, $..name or $.items[?@.price < 10], returns the list of all matches.',
  inputs: {
    value: { dataFlowType: 'WILDCARD', required: true, description: 'The value to read from' },
    path: {
      dataFlowType: 'STRING',
      required: true,
      description:
        "The path, such as $.a.b[0], $['odd name'], $.list[-1], $.items[*].id, $.items[?@.price < 10 && @.stock > 0].name",
    },
  },
  outputs: {
    value: { dataFlowType: 'WILDCARD', description: 'The value at the path; for a query, the list of all matches' },
  },
  checks: { path: (path) => void compile(path) },
  // The cost of a path to one place is its number of steps, for a value of any size.
  run({ value, path }, context) {
    const query = compile(path);
    return query.singularQuery() ? { value: walkPath(value, stepsOf(query)) } : find({ value, path }, context);
  },
});

const find = computation<{ value: Json; path: string }>('core:json-path', {
  limits: languageLimits('path'),
  compute: ({ value, path }) => ({ value: compile(path).query(value).values() as Json[] }),
  // Without descendants, filters and lists of selectors a query visits each value at most once.
  isCheap: ({ path }) => !/\.\.|[?,]/.test(path),
});

/** The `$.` may be missing, because `user.name` is unambiguous. */
function compile(path: string): JSONPathQuery {
  if (path.length > MAX_LENGTH)
    throw new ToolError('ParameterValidationError', `'path' is longer than ${MAX_LENGTH} characters`);
  const whole = path.startsWith('$') ? path : /^[.[]|^$/.test(path) ? `$${path}` : `$.${path}`;
  try {
    return (environment ??= new JSONPathEnvironment()).compile(whole);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ToolError(
      'ParameterValidationError',
      `'${path}' is not a JSONPath: ${reason}. Write $.name, [0], ['odd name'], [*], ..name or [?@.price < 10]`,
    );
  }
}

/** The steps of a path to one place: each of its segments has one selector, a name or an index. */
function stepsOf(query: JSONPathQuery): PathStep[] {
  return query.segments
    .flatMap((segment) => segment.selectors as Partial<{ name: string; index: number }>[])
    .map(({ name, index }) => (name === undefined ? { index: index! } : { key: name }));
}
