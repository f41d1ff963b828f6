import type { Dto } from '../dto.js';
import { schemaOf } from './schema-of-dto.js';

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  description: string;
  required?: boolean;
  schema: object;
}

/** A parameter. Those of a path are required. */
export const parameter = (
  where: Parameter['in'],
  name: string,
  description: string,
  schema: object = { type: 'string' },
): Parameter => ({
  name,
  in: where,
  description,
  ...(where === 'path' && { required: true }),
  schema,
});

/** A query parameter with several values, separated by commas. */
export const commaList = (name: string, description: string, items: object, bounds: object = {}) => ({
  ...parameter('query', name, description, { type: 'array', items, ...bounds }),
  style: 'form',
  explode: false,
});

/**
 * The query parameters of a DTO, with a description for each. A description with a schema replaces the schema of the DTO, which reads
 * numbers as texts.
 */
export const queryOf = (
  dto: Dto,
  descriptions: Readonly<Record<string, string | readonly [description: string, schema: object]>>,
): Parameter[] =>
  Object.entries(schemaOf(dto).properties).map(([name, generated]) => {
    const described = descriptions[name];
    if (described === undefined) throw new Error(`The parameter ${name} of ${dto.name} has no description`);
    const [description, schema] = typeof described === 'string' ? [described, generated] : described;
    return parameter('query', name, description, schema);
  });

const json = (name: string) => ({ 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } });
/** A response in JSON, with a named schema. */
export const responds = (description: string, name: string) => ({ description, content: json(name) });
/** A body in JSON, with a named schema. */
export const takes = (name: string) => ({ required: true, content: json(name) });
/** A response with an error. */
export const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
});

export const ID = parameter('path', 'id', 'The id of an invocation, `inv_…`');
export const NOT_FOUND = { 404: problem('`not_found`: unknown, or of another tenant') };

export const REDIS_AWAY = problem(
  '`unavailable`: Redis cannot accept it now. If Redis cannot be reached, only an Idempotency-Key makes a second request safe',
);

/** Headers of the requests that make an invocation. */
export const SUBMISSION_HEADERS = [
  parameter('header', 'Prefer', '`wait=20` waits at most 20 s (highest value: 60) for the end of the invocation'),
  parameter('header', 'Idempotency-Key', 'The same key and body return the same invocation, which runs once'),
];
