import { CHALLENGE, parameter, problem, RETRY_AFTER } from './path-terms.js';

interface Operation {
  parameters?: readonly { in: string }[];
  requestBody?: object;
  /** Empty for an operation that needs no key. */
  security?: readonly object[];
  responses: Readonly<Record<string, object>>;
}

const REFUSED_KEY = { 401: problem('`unauthorized`: the key is missing or wrong') };
const REFUSED_ORIGIN = {
  403: problem('`forbidden`: the page is of another origin, the host is unknown, or the key may not see this'),
};
const REFUSED_BODY = {
  413: problem('`payload_too_large`: ERRAND_BODY_LIMIT sets the limit'),
  415: problem('`invalid_request`: the body is not JSON in UTF-8, or is compressed'),
};
/** Headers of each problem with this status. */
const PROBLEM_HEADERS: Readonly<Record<string, object>> = {
  401: CHALLENGE,
  429: RETRY_AFTER,
  503: RETRY_AFTER,
};

const IF_NONE_MATCH = parameter(
  'header',
  'If-None-Match',
  'The ETag of a response that the client has, or a list of them',
);

/** Adds the parts that many operations have: the responses to refused keys and bodies and to any other error, and `If-None-Match`. */
export function completePaths<T extends Readonly<Record<string, object>>>(paths: T): T {
  return mapValues(paths, (operations) =>
    mapValues(operations as Record<string, Operation>, (operation) => ({
      ...operation,
      ...('304' in operation.responses && { parameters: [...(operation.parameters ?? []), IF_NONE_MATCH] }),
      responses: completeResponses(operation),
    })),
  ) as T;
}

function completeResponses({ parameters = [], requestBody, security, responses }: Operation): object {
  const hasInput = requestBody !== undefined || parameters.some(({ in: where }) => where !== 'path');
  const all: Readonly<Record<string, object>> = {
    ...(hasInput && { 400: problem('`invalid_request`') }),
    ...(security?.length !== 0 && REFUSED_KEY),
    ...REFUSED_ORIGIN,
    ...(requestBody !== undefined && REFUSED_BODY),
    ...responses,
    default: problem('Any other error'),
  };
  return Object.fromEntries(Object.entries(all).map(([status, response]) => [status, withHeaders(status, response)]));
}

function withHeaders(status: string, response: object): object {
  const headers = PROBLEM_HEADERS[status];
  const isProblem = 'content' in response && Object.hasOwn(response.content as object, 'application/problem+json');
  return headers && isProblem ? { ...response, headers } : response;
}

function mapValues<T, U>(object: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}
