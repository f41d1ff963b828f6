import type { Failure, Invocation, Json, Step } from '@errand/contracts';
import { observeWarnings } from './observe-warnings.js';
import { boundaryBefore, oneLine, sentence } from './one-line.js';
import { withoutSettings } from './without-settings.js';
import { cutNote, observeArtifacts, type Readable } from './reading-tools.js';

/** An invocation that has ended, as far as an observation tells of it. */
export type EndedInvocation = Pick<Invocation, 'id' | 'steps' | 'status' | 'error' | 'warnings' | 'artifacts'>;

export interface ObservationBudget {
  /** The most characters of a result; 8,000 by default. */
  maxChars?: number | undefined;
  /** Which tools for reading on may be named. */
  readable: Readable;
}

/** What the lines of one observation share. */
interface Telling extends ObservationBudget {
  invocation: string;
  /** How many steps there are. */
  count: number;
}

const CANCELLED: Failure = { type: 'CancelledError', message: 'The invocation was cancelled' };
const DEFAULT_CHARS = 8_000;

/**
 * What to tell the model of an invocation's end: a line for each step that ended, for files that were handed out, and for each
 * warning.
 */
export function observeInvocation(ended: EndedInvocation, budget: ObservationBudget): string {
  const { id, steps, status, error, warnings, artifacts = [] } = ended;
  const observation_: Telling = { ...budget, invocation: id, count: steps.length };
  const lines = steps.flatMap((step) => observeStep(step, observation_));
  if (status !== 'succeeded') lines.push(...observeEnd(steps, error ?? CANCELLED, observation_));
  lines.push(...observeArtifacts(artifacts, { ...observation_, several: steps.length > 1 }));
  lines.push(...steps.flatMap((step) => observeOrigin(step)));
  lines.push(...observeWarnings(warnings));
  return lines.join('\n');
}

/** How the whole failed, where that is not how one of its steps did: at the step that it came to. */
function observeEnd(steps: readonly Step[], failure: Failure, observation_: Telling): string[] {
  if (steps.some((step) => step.error?.type === failure.type)) return [];
  const last = steps.find(({ status }) => status !== 'succeeded' && status !== 'failed') ?? steps[0];
  if (!last) return [observeFailure('the call', failure, '', observation_)];
  return [observeFailure(last.toolId, failure, placeOf(last, observation_), observation_)];
}

function placeOf({ index }: Step, { count }: Telling): string {
  return count > 1 ? ` (step ${index + 1} of ${count})` : '';
}

function observeStep(step: Step, observation_: Telling): string[] {
  const place = placeOf(step, observation_);
  if (step.error) return [observeFailure(step.toolId, step.error, place, observation_)];
  if (step.status !== 'succeeded') return [];
  const text = textOf(step.result ?? null);
  const result = cut(text, step.resultTruncated?.total ?? text.length, step, observation_);
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

/** One line, whatever the tool's own words are: a message with line breaks forges no second Observation. */
function observeFailure(
  toolId: string,
  { type, message, details }: Failure,
  place: string,
  { maxChars = DEFAULT_CHARS }: Telling,
): string {
  const limit = Math.min(maxChars, DEFAULT_CHARS);
  const told =
    details && Object.keys(details).length > 0
      ? ` Details: ${oneLine(withoutSettings(JSON.stringify(details)), limit)}`
      : '';
  return `Observation: Error - Tool ${toolId} failed${place}. Error type: ${type}. Message: ${sentence(oneLine(withoutSettings(message), limit))}${told}`;
}

/** A result as text: a string as it is, anything else as JSON. */
function textOf(result: Json): string {
  return typeof result === 'string' ? result : JSON.stringify(result);
}

/** @param text the result or, where that has more than `total` characters, its beginning */
function cut(text: string, total: number, { index }: Step, observation_: Telling): string {
  const { maxChars = DEFAULT_CHARS, count } = observation_;
  if (total <= maxChars && total === text.length) return text;
  const shown = boundaryBefore(text, Math.min(maxChars, text.length));
  return `${text.slice(0, shown)}… ${cutNote({ shown, total }, { ...observation_, step: count > 1 ? index : undefined })}`;
}
