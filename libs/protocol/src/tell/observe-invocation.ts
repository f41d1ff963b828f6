import type { Failure, Invocation, Json, Step } from '@errand/contracts';
import { deprecationsIn } from './deprecation.js';

/** An invocation that has ended, as far as an observation tells of it. */
export type Ended = Pick<Invocation, 'steps' | 'status' | 'error' | 'warnings'>;

export interface ObservationBudget {
  /** The most characters of a result; 8,000 by default. */
  maxChars?: number | undefined;
  /** The request that reads a result on, without its query (`GET /v1/invocations/inv_…/result`). */
  readMore: string;
}

const CANCELLED: Failure = { type: 'CancelledError', message: 'The invocation was cancelled' };
const DEFAULT_CHARS = 8_000;
const LOOK_BACK = 200;
const GROUPED = new Intl.NumberFormat('en-US');

/** What to tell the model of an invocation's end: a line for each step that ended, and for each tool that it should call no more. */
export function observeInvocation({ steps, status, error, warnings }: Ended, budget: ObservationBudget): string {
  const lines = steps.flatMap((step) => observeStep(step, steps.length, budget));
  if (status !== 'succeeded') lines.push(...observeEnd(steps, error ?? CANCELLED, budget));
  lines.push(...steps.flatMap((step) => observeOrigin(step)));
  lines.push(...deprecationsIn(warnings).map((message) => `Observation: Warning - ${sentence(message)}`));
  return lines.join('\n');
}

/** How the whole failed, where that is not how one of its steps did: at the step that it came to. */
function observeEnd(steps: readonly Step[], failure: Failure, budget: ObservationBudget): string[] {
  if (steps.some((step) => step.error?.type === failure.type)) return [];
  const last = steps.find(({ status }) => status !== 'succeeded' && status !== 'failed') ?? steps[0];
  if (!last) return [observeFailure('the call', failure, '', budget)];
  return [observeFailure(last.toolId, failure, placeOf(last, steps.length), budget)];
}

function placeOf({ index }: Step, count: number): string {
  return count > 1 ? ` (step ${index + 1} of ${count})` : '';
}

function observeStep(step: Step, count: number, budget: ObservationBudget): string[] {
  const place = placeOf(step, count);
  if (step.error) return [observeFailure(step.toolId, step.error, place, budget)];
  if (step.status !== 'succeeded') return [];
  const query = count > 1 ? `path=/${step.index}&` : '';
  const text = textOf(step.result ?? null);
  const result = cut(text, step.resultTruncated?.total ?? text.length, budget, query);
  return [`Observation: Tool ${step.toolId} executed successfully${place}. Result: ${result}`];
}

/** A model that repeats itself is told that what it asked for has not happened twice. */
function observeOrigin({ toolId, deduplicatedFrom }: Step): string[] {
  if (!deduplicatedFrom) return [];
  const { invocationId, step } = deduplicatedFrom;
  return [
    `Observation: Warning - Tool ${toolId} was not run again: the same call of this session ran as step ${step + 1} of ${invocationId}, and the result is from there.`,
  ];
}

function observeFailure(
  toolId: string,
  { type, message, details }: Failure,
  place: string,
  budget: ObservationBudget,
): string {
  const limit = budget.maxChars ?? DEFAULT_CHARS;
  const told = details && Object.keys(details).length > 0 ? ` Details: ${shorten(JSON.stringify(details), limit)}` : '';
  return `Observation: Error - Tool ${toolId} failed${place}. Error type: ${type}. Message: ${sentence(shorten(message, limit))}${told}`;
}

function sentence(text: string): string {
  return /[.!?。]$/.test(text) ? text : `${text}.`;
}

function shorten(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, boundaryBefore(text, limit))}…`;
}

/** A result as text: a string as it is, anything else as JSON. */
function textOf(result: Json): string {
  return typeof result === 'string' ? result : JSON.stringify(result);
}

/** @param text the result or, where that has more than `total` characters, its beginning */
function cut(
  text: string,
  total: number,
  { maxChars = DEFAULT_CHARS, readMore }: ObservationBudget,
  query: string,
): string {
  if (total <= maxChars && total === text.length) return text;
  const at = boundaryBefore(text, Math.min(maxChars, text.length));
  const lengths = `cut at ${GROUPED.format(at)} of ${GROUPED.format(total)} characters`;
  return `${text.slice(0, at)}… [${lengths}; read more: ${readMore}?${query}offset=${at}]`;
}

/** The last blank, line break or separator shortly before the limit; else the limit, but never inside a surrogate pair. */
function boundaryBefore(text: string, limit: number): number {
  const tail = text.slice(Math.max(0, limit - LOOK_BACK), limit);
  const boundary = /[\s,;，。；][^\s,;，。；]*$/u.exec(tail);
  if (boundary) return limit - tail.length + boundary.index + 1;
  const code = text.charCodeAt(limit);
  return limit > 1 && code >= 0xdc00 && code <= 0xdfff ? limit - 1 : limit;
}
