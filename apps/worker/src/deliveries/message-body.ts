import type { Failure, Invocation, Json, Step } from '@errand/contracts';

/** The largest body, in characters: a receiver may refuse more. */
export const MAX_BODY_CHARS = 262_144;
/** What one value may take of a body that is too large with all of them. */
const MAX_VALUE_CHARS = 4_096;

/** What is left out of an invocation that is too long: with each, more. */
const CUTS: readonly ((whole: Invocation) => Invocation)[] = [
  (whole) => withSteps(whole, whole.steps.map(withoutNodes)),
  (whole) => withSteps(withoutLongValues(whole), whole.steps.map(shortenStep)),
  (whole) => withSteps(withoutLongValues(whole), []),
];

/**
 * The body of the message that an invocation has ended. It holds the invocation as it is answered over HTTP. Where that is too long,
 * the nodes of workflows are left out; where that is not enough, long values, of which results keep their beginning; at last, the
 * steps. `data.truncated` says that something is; all of it is at `data.links`.
 */
export function messageBody(invocation: Invocation): string {
  const type = `invocation.${invocation.status}`;
  const write = (data: object) => JSON.stringify({ type, timestamp: invocation.finishedAt, data });
  let body = write(invocation);
  for (const cut of CUTS) {
    if (body.length <= MAX_BODY_CHARS) break;
    body = write({ ...cut(invocation), truncated: true });
  }
  return body;
}

function withSteps(invocation: Invocation, steps: Step[]): Invocation {
  return { ...invocation, calls: steps, steps };
}

function withoutNodes({ nodes: _, ...step }: Step): Step {
  return step;
}

function withoutLongValues(whole: Invocation): Invocation {
  const { error, result } = whole;
  const short = Object.entries(whole).map(
    ([name, value]) => [name, isLong(value as Json | undefined) ? null : value] as const,
  );
  return {
    ...(Object.fromEntries(short) as unknown as Invocation),
    ...(isLong(result) && { resultTruncated: true }),
    error: error && shortenFailure(error),
  };
}

function shortenStep(step: Step): Step {
  const { result, error, ...rest } = withoutNodes(step);
  return {
    ...rest,
    arguments: isLong(step.arguments) ? {} : step.arguments,
    ...(result !== undefined && (isLong(result) ? shortenResult(step, result) : { result })),
    ...(error && { error: shortenFailure(error) }),
  };
}

function shortenFailure(failure: Failure): Failure {
  const { type, message } = failure;
  return JSON.stringify(failure).length <= MAX_VALUE_CHARS
    ? failure
    : { type, message: message.slice(0, MAX_VALUE_CHARS) };
}

/** As large results are shown everywhere: the beginning of the text, and how long that is. */
function shortenResult({ resultTruncated }: Step, result: Json): Pick<Step, 'result' | 'resultTruncated'> {
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  const beginning = text.slice(0, MAX_VALUE_CHARS).replace(/[\ud800-\udbff]$/, '');
  return { result: beginning, resultTruncated: resultTruncated ?? { total: text.length } };
}

function isLong(value: Json | undefined): boolean {
  return JSON.stringify(value ?? null).length > MAX_VALUE_CHARS;
}
