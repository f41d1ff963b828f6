import type { Failure, Invocation, Json, Step } from '@errand/contracts';

/** The largest body, in characters. A receiver may refuse a larger one. */
export const MAX_BODY_CHARS = 262_144;
/** The largest value, in characters, in a body that is too large with all values. */
const MAX_VALUE_CHARS = 4_096;

/** The cuts of an invocation that is too long. Each one removes more than the one before. */
const CUTS: readonly ((whole: Invocation) => Invocation)[] = [
  (whole) => withSteps(whole, whole.steps.map(withoutNodes)),
  (whole) => withSteps(withoutLongValues(whole), whole.steps.map(shortenStep)),
  (whole) => withSteps(withoutLongValues(whole), []),
];

/**
 * The body of the message that an invocation has ended. It holds the invocation as the HTTP API returns it. A body that is too long
 * loses the nodes of workflows first, then long values (results keep their beginning), then the steps. `data.truncated` marks such a
 * body; `data.links` leads to the whole invocation.
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
  const { messages, ...others } = whole;
  const short = Object.entries(others).map(
    ([name, value]) => [name, isLong(value as Json | undefined) ? null : value] as const,
  );
  return {
    ...(Object.fromEntries(short) as unknown as Invocation),
    ...(messages && JSON.stringify(messages).length <= MAX_VALUE_CHARS && { messages }),
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

/** The form of every truncated result: the beginning of the text, and its total length. */
function shortenResult({ resultTruncated }: Step, result: Json): Pick<Step, 'result' | 'resultTruncated'> {
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  const beginning = text.slice(0, MAX_VALUE_CHARS).replace(/[\ud800-\udbff]$/, '');
  return { result: beginning, resultTruncated: resultTruncated ?? { total: text.length } };
}

function isLong(value: Json | undefined): boolean {
  return JSON.stringify(value ?? null).length > MAX_VALUE_CHARS;
}
