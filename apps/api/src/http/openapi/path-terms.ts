type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  description: string;
  required?: boolean;
  schema: object;
};

/** A parameter; those of a path are required. */
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
const json = (name: string) => ({ 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } });
/** An answer in JSON, of a named schema. */
export const answers = (description: string, name: string) => ({ description, content: json(name) });
/** A body in JSON, of a named schema. */
export const takes = (name: string) => ({ required: true, content: json(name) });
/** An answer that says what is wrong. */
export const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
});

export const ID = parameter('path', 'id', 'The id of an invocation, `inv_…`');
export const NOT_FOUND = { 404: problem('No such thing, or not yours') };

/** What a request that makes an invocation may say of that. */
export const MAKING = [
  parameter('header', 'Prefer', '`wait=20` answers with the finished invocation if it ends in time'),
  parameter('header', 'Idempotency-Key', 'The same key and body again give the same invocation, once run'),
];
