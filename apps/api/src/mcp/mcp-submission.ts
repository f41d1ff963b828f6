import { didYouMean } from '@errand/contracts';
import type { CallToolRequest } from '@modelcontextprotocol/server';
import { ProblemError } from '../http/problem-error.js';
import { RequestPipe } from '../http/request-pipe.js';
import { SubmitRequest } from '../http/submission-requests.js';

/** The fields of `_meta` that belong to Errand, and the fields of a submission that they become. */
const META = { 'errand/session': 'session', 'errand/options': 'options' } as const;
const KEY_META = 'errand/idempotencyKey';
const PREFIX = 'errand/';

const pipe = new RequestPipe();

/**
 * The submission of a call. It is checked as the body of `POST /v1/invocations` is.
 * @throws ProblemError for a field of `_meta` that is wrong or unknown
 */
export function readSubmission(
  { name, arguments: args = {}, _meta: meta = {} }: CallToolRequest['params'],
  agent: string | undefined,
): { body: SubmitRequest; idempotencyKey?: string } {
  const own: Record<string, unknown> = { ...meta };
  requireKnown(Object.keys(own));
  const fields = Object.entries(META).flatMap(([key, field]) =>
    own[key] === undefined ? [] : [[field, own[key]] as const],
  );
  const given = { toolId: name, arguments: args, ...(agent !== undefined && { agent }), ...Object.fromEntries(fields) };
  const body = pipe.transform(given, { type: 'body', metatype: SubmitRequest });
  if (!(body instanceof SubmitRequest)) throw new TypeError('the pipe returns an instance of its class');
  const key = own[KEY_META];
  if (key === undefined) return { body };
  if (typeof key !== 'string') throw new ProblemError('invalid_request', `${KEY_META} must be a text`);
  return { body, idempotencyKey: key };
}

function requireKnown(names: readonly string[]): void {
  const known = [...Object.keys(META), KEY_META];
  const wrong = names.find((name) => name.startsWith(PREFIX) && !known.includes(name));
  if (wrong === undefined) return;
  const suggestion = didYouMean(wrong, known);
  const hint = suggestion === undefined ? `; the names are ${known.join(', ')}` : `, did you mean '${suggestion}'?`;
  throw new ProblemError('invalid_request', `Unknown field '${wrong.slice(0, 80)}' in _meta${hint}`);
}
