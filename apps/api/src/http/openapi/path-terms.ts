import { INVOCATION_ID } from '@errand/contracts';
import type { Dto } from '../dto.js';
import { IDEMPOTENCY_KEY } from '../submission-requests.js';
import { schemaOf } from './schema-of-dto.js';
import { ref } from './schema-terms.js';

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

const json = (name: string) => ({ 'application/json': { schema: ref(name) } });
type Headers = Readonly<Record<string, object>>;
/** A header of a response. */
export const header = (description: string, schema: object = { type: 'string' }) => ({ description, schema });
/** A response in JSON, with a named schema. */
export const responds = (description: string, name: string, headers?: Headers) => ({
  description,
  ...(headers && { headers }),
  content: json(name),
});
/** A body in JSON, with a named schema. */
export const takes = (name: string) => ({ required: true, content: json(name) });
/** A response with an error. */
export const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: ref('Problem') } },
});

export const ID = parameter('path', 'id', 'The id of an invocation, `inv_…`', {
  type: 'string',
  pattern: INVOCATION_ID.source,
});
export const NOT_FOUND = { 404: problem('`not_found`: unknown, or of another tenant') };
/** The responses of a route that reads one thing. */
export const found = (description: string, name: string) => ({ 200: responds(description, name), ...NOT_FOUND });

export const REDIS_AWAY = problem(
  '`unavailable`: Redis cannot accept it now. If Redis cannot be reached, only an Idempotency-Key makes a second request safe',
);

/** Headers of a response to a request that makes an invocation. */
export const SUBMITTED = {
  Location: header('The path of the invocation', { type: 'string', format: 'uri-reference' }),
  'Preference-Applied': header('The `wait` of the request, in seconds, if it waited'),
};
export const QUEUE_FULL = problem('`queue_full`: nothing was accepted. `Retry-After` has the seconds to wait');

/** Headers of a response that a client may keep. */
export const TAG_HEADERS = {
  ETag: header('Differs if the response differs. Send it as If-None-Match to get 304 for the same response'),
  'Cache-Control': header('`private, no-cache`: keep the response, and ask again before each use'),
};
export const NOT_MODIFIED = {
  304: { description: 'The response has one of the tags of If-None-Match', headers: TAG_HEADERS },
};
/** The responses of a route with an `ETag`. */
export const tagged = (description: string, name: string) => ({
  200: responds(description, name, TAG_HEADERS),
  ...NOT_MODIFIED,
});

/** Headers of the problems with these statuses. */
export const CHALLENGE = { 'WWW-Authenticate': header('How to present a key') };
export const RETRY_AFTER = {
  'Retry-After': header('The seconds to wait before the next attempt', { type: 'integer', minimum: 1 }),
};

const IDEMPOTENCY = { type: 'string', minLength: 1, maxLength: 255, pattern: IDEMPOTENCY_KEY.source };
export const TRACE = parameter('header', 'traceparent', 'W3C trace context');
/** The responses to the answer to a step or a call. */
export const ANSWERED = {
  202: responds('The answer is stored', 'Invocation'),
  ...NOT_FOUND,
  409: problem('`conflict`: nothing waits for this answer, or another answer was stored'),
  422: problem('`invalid_parameters`: the result does not fit the output of the tool or the schema of the wait'),
};
/** The header that lets a request be sent again. @param effect what a second request does */
export const idempotencyKey = (effect: string) =>
  parameter('header', 'Idempotency-Key', `The same key and body ${effect}`, IDEMPOTENCY);
/** The headers of a request that makes invocations. @param awaited what `Prefer` waits for */
export const submissionHeaders = (awaited: string, effect: string) => [
  parameter('header', 'Prefer', `\`wait=20\` waits at most 20 s (highest value: 60) for ${awaited}`),
  idempotencyKey(effect),
];
/** The headers of the requests that make one invocation. */
export const SUBMISSION_HEADERS = submissionHeaders(
  'the end of the invocation',
  'return the same invocation, which runs once',
);
/** The responses to a request with an Idempotency-Key that is refused for reasons beside its body. */
export const SUBMISSION_REFUSED = {
  409: problem('`conflict`: the Idempotency-Key was used with another body'),
  429: QUEUE_FULL,
  503: REDIS_AWAY,
};

/** The description of `tenant` in the query of a list. */
export const TENANT_OF_LIST = 'The tenant that the list concerns; only the operator may name another than its own';

/** The operator alone names another tenant. */
export const NAMES_ANOTHER = { 403: problem('`forbidden`: the key of one tenant names another') };

/** `tenant` in the query of a list without other parameters. */
export const LIST_TENANT = parameter('query', 'tenant', TENANT_OF_LIST);
