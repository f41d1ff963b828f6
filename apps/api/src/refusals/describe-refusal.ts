import { newRefusalId, PROBLEM_CODES, type Json, type ToolLookup } from '@errand/contracts';
import type { Mask } from '@errand/platform';
import type { NewRefusal } from '@errand/queue';
import type { ProblemError } from '../http/problem-error.js';
import type { SubmitRequest } from '../http/submission-requests.js';

/** The most of a text that is kept, in bytes. */
const MOST_TEXT = 65_536;
/** A text of so many UTF-16 units is no longer. */
const SURELY_SHORT = MOST_TEXT / 3;
const MOST_ERRORS = 50;
const MOST_OBSERVATION = 10_000;
const LONGEST_NAME = 200;
const MOST_TOOLS = 20;

type Errors = NewRefusal['refusal']['errors'];

/** Whether a refusal is kept: those with status 422. */
export function isKept({ code, more: { status } }: RefusedRequest['error']): boolean {
  return (status ?? PROBLEM_CODES[code].status) === 422;
}

/** A request that was refused. */
export interface RefusedRequest {
  request: Pick<SubmitRequest, 'text' | 'message' | 'calls' | 'toolId' | 'arguments' | 'agent' | 'session'>;
  tenant: string;
  error: Pick<ProblemError, 'code' | 'more'>;
  /** When it was refused, in ms. */
  at: number;
  /** Whether its text is kept. */
  hasText: boolean;
}

/** Whether a refusal is within all bounds: a description would cut nothing, and can wait. */
export function isSmall({ request: { text }, error: { more } }: RefusedRequest): boolean {
  const { errors = [], observation = '' } = more;
  return (
    text !== undefined &&
    text.length <= SURELY_SHORT &&
    errors.length <= MOST_ERRORS &&
    observation.length <= MOST_OBSERVATION
  );
}

/** Returns the parts of a refused request that are kept. */
export function describeRefusal(
  { request, tenant, error: { code, more }, at, hasText }: RefusedRequest,
  tools: ToolLookup,
): NewRefusal {
  const errors = (more.errors ?? []).slice(0, MOST_ERRORS);
  const called = (more.called ?? []).map((name) => (tools.find(name)?.toolId ?? name).slice(0, LONGEST_NAME));
  const refusal = {
    id: newRefusalId(at),
    at: new Date(at).toISOString(),
    agent: request.agent ?? null,
    session: request.session ?? null,
    code,
    toolIds: [...new Set([...called, ...suggestedTools(errors)])].slice(0, MOST_TOOLS),
    errors,
    observation: more.observation === undefined ? null : more.observation.slice(0, MOST_OBSERVATION),
    text: hasText ? cut(textOf(request)) : '',
  };
  return { tenant, refusal, parameters: wrongParameters(errors, called) };
}

/** The refusal without secrets. */
export function masked({ tenant, refusal, parameters }: NewRefusal, mask: Mask): NewRefusal {
  const { text, observation, errors } = refusal;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the mask keeps the shape of JSON
  const shown = mask.json(errors as unknown as Json) as unknown as Errors;
  return {
    tenant,
    parameters,
    refusal: {
      ...refusal,
      text: mask.text(text),
      observation: observation === null ? null : mask.text(observation),
      errors: shown,
    },
  };
}

/** The submitted text, or the calls as JSON. */
function textOf({ text, message, calls, toolId, arguments: args }: RefusedRequest['request']): string {
  return text ?? JSON.stringify(message ?? calls ?? { toolId, arguments: args }, null, 2);
}

/** The beginning of a long text. */
function cut(text: string): string {
  if (text.length <= SURELY_SHORT) return text;
  const bytes = Buffer.from(text.slice(0, MOST_TEXT)).subarray(0, MOST_TEXT);
  return bytes.toString().replace(/\ufffd+$/, '');
}

function suggestedTools(errors: Errors): string[] {
  return errors.flatMap((error) => ('kind' in error && error.kind === 'unknown_tool' ? (error.suggestion ?? []) : []));
}

/** The parameters that errors name, each with the tool of its call. */
function wrongParameters(errors: Errors, called: readonly string[]): NewRefusal['parameters'] {
  return errors.flatMap((error) => {
    const { path, call } = error;
    const toolId = call === undefined ? undefined : called[call];
    const [, first = ''] = path.split('/', 2);
    if (toolId === undefined || first === '' || !('kind' in error) || error.kind !== 'invalid_parameters') return [];
    return [{ toolId, parameter: first.replaceAll('~1', '/').replaceAll('~0', '~'), kind: error.kind }];
  });
}
