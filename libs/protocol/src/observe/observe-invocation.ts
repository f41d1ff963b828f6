import type { CallAnswer, Failure, Invocation, Json, Step } from '@errand/contracts';
import { observeWarnings } from './observe-warnings.js';
import { boundaryBefore, oneLine, sentence } from './one-line.js';
import { cutNote, observeArtifacts, type Readable } from './reading-tools.js';

/** The data of an ended invocation that an Observation shows. */
export type EndedInvocation = Pick<Invocation, 'id' | 'steps' | 'status' | 'error' | 'warnings' | 'artifacts'>;

export interface ObservationBudget {
  /** The largest length of a result, in characters; 8,000 by default. */
  maxChars?: number | undefined;
  /** The reading tools that may be named. */
  readable: Readable;
}

/** The data that the lines of one Observation share. */
interface ObservationContext extends ObservationBudget {
  invocation: string;
  /** The number of steps. */
  count: number;
}

const CANCELLED: Failure = { type: 'CancelledError', message: 'The invocation was cancelled' };
const DEFAULT_CHARS = 8_000;
/** The longest reason for which a call was not run. */
const MAX_REASON = 500;

/** Returns the Observation of an ended invocation: a line for each ended step, for the files, and for each warning. */
export function observeInvocation(ended: EndedInvocation, budget: ObservationBudget): string {
  const { id, steps, status, error, warnings, artifacts } = ended;
  const { maxChars, readable } = budget;
  const context: ObservationContext = { maxChars, readable, invocation: id, count: steps.length };
  const lines = steps.flatMap((step) => observeStep(step, context));
  if (status !== 'succeeded') lines.push(...observeEnd(steps, error ?? CANCELLED, context));
  if (artifacts) lines.push(...observeArtifacts(artifacts, { ...context, several: steps.length > 1 }));
  lines.push(...steps.flatMap((step) => observeOrigin(step)));
  if (warnings) lines.push(...observeWarnings(warnings));
  return lines.join('\n');
}

/**
 * Returns what a model reads about each call of an ended invocation: the result, or the Observation of the error. Calls that came without
 * an id get one that is unique in any conversation and within the 40 characters that OpenAI allows.
 */
export function answerCalls({ id, steps, error }: EndedInvocation, budget: ObservationBudget): CallAnswer[] {
  const context: ObservationContext = { ...budget, invocation: id, count: steps.length };
  return steps.map((step) => ({
    callId: step.callId ?? `call_${id.slice(-26)}_${step.index}`,
    isError: step.status !== 'succeeded',
    content:
      step.status === 'succeeded' ? shownResult(step, context) : observeUnfinished(step, error ?? CANCELLED, context),
  }));
}

function observeUnfinished(step: Step, end: Failure, context: ObservationContext): string {
  const { toolId, error, startedAt } = step;
  if (error || startedAt !== null) return observeFailure(toolId, error ?? end, '', context);
  const reason = sentence(oneLine(withoutSettings(end.message), MAX_REASON));
  return `Observation: Error - Tool ${toolId} was not run, because the invocation ended before. Error type: ${end.type}. Message: ${reason}`;
}

/**
 * The line about the failure of the invocation, at the step that it had reached. Empty if a step has the same error.
 */
function observeEnd(steps: readonly Step[], failure: Failure, context: ObservationContext): string[] {
  if (steps.some((step) => step.error?.type === failure.type)) return [];
  const last = steps.find(({ status }) => status !== 'succeeded' && status !== 'failed') ?? steps[0];
  if (!last) return [observeFailure('the call', failure, '', context)];
  return [observeFailure(last.toolId, failure, stepLabel(last, context), context)];
}

function stepLabel({ index }: Step, { count }: ObservationContext): string {
  return count > 1 ? ` (step ${index + 1} of ${count})` : '';
}

function observeStep(step: Step, context: ObservationContext): string[] {
  const label = stepLabel(step, context);
  if (step.error) return [observeFailure(step.toolId, step.error, label, context)];
  if (step.status !== 'succeeded') return [];
  return [`Observation: Tool ${step.toolId} executed successfully${label}. Result: ${shownResult(step, context)}`];
}

function shownResult(step: Step, context: ObservationContext): string {
  const text = textOf(step.result ?? null);
  return cut(text, step.resultTruncated?.total ?? text.length, step, context);
}

/** Reports that a repeated call was not run twice. */
function observeOrigin({ toolId, deduplicatedFrom }: Step): string[] {
  if (!deduplicatedFrom) return [];
  const { invocationId, step } = deduplicatedFrom;
  return [
    `Observation: Warning - Tool ${toolId} was not run again: the same call of this session ran as step ${step + 1} of ${invocationId}, and the result is from there.`,
  ];
}

/** Always one line, so that a message with line breaks cannot forge a second Observation. */
function observeFailure(
  toolId: string,
  { type, message, details }: Failure,
  label: string,
  { maxChars = DEFAULT_CHARS }: ObservationContext,
): string {
  const limit = Math.min(maxChars, DEFAULT_CHARS);
  const more = type === 'CancelledError' ? withoutReason(details) : details;
  const shownDetails =
    more && Object.keys(more).length > 0 ? ` Details: ${oneLine(withoutSettings(JSON.stringify(more)), limit)}` : '';
  return `Observation: Error - Tool ${toolId} failed${label}. Error type: ${type}. Message: ${sentence(oneLine(withoutSettings(message), limit))}${shownDetails}`;
}

/** The message of a cancel has its reason already. */
function withoutReason({ reason: _, ...more }: NonNullable<Failure['details']> = {}): Failure['details'] {
  return more;
}

/** A result as text: a string as it is, anything else as JSON. */
function textOf(result: Json): string {
  return typeof result === 'string' ? result : JSON.stringify(result);
}

/** @param text the result, or its beginning if the result has more than `total` characters */
function cut(text: string, total: number, { index }: Step, context: ObservationContext): string {
  const { maxChars = DEFAULT_CHARS, count } = context;
  if (total <= maxChars && total === text.length) return text;
  const shown = boundaryBefore(text, Math.min(maxChars, text.length));
  return `${text.slice(0, shown)}… ${cutNote({ shown, total }, { ...context, step: count > 1 ? index : undefined })}`;
}

/** Settings of the operator. Scripts know three environment variables with the same beginning. */
const SETTING = /\bERRAND_(?!(?:OUT|IN|INVOCATION_ID)\b)[A-Z0-9_]+\b/g;
const SENTENCE_END = /(?<=[.!?])\s+/;

/**
 * An error message for a model, which cannot change settings. Sentences that name a setting are left out. In an only
 * sentence, the name is replaced.
 */
export function withoutSettings(message: string): string {
  if (!message.includes('ERRAND_')) return message;
  const isFree = (part: string) => part.search(SETTING) === -1;
  const kept = message.split(SENTENCE_END).filter(isFree).join(' ');
  if (isFree(message)) return message;
  return kept.trim() === '' ? message.replace(SETTING, 'a setting of the operator') : kept;
}
