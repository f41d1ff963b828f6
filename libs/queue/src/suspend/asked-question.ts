import type { Question, Waiting } from '@errand/contracts';
import type { Fields } from '../consume/journal.js';

/** A longer prompt is cut, and a longer schema is left out: lists show this text for each invocation. In characters of JSON. */
const MAX_PROMPT_CHARS = 2_000;
const MAX_SCHEMA_CHARS = 8_000;

/**
 * The answer that a suspended invocation waits for, from its stored state. If it waits for several answers, it is the one with the nearest
 * deadline.
 */
export function askedQuestion(state: Fields): Question | undefined {
  const questions = [...state].flatMap(([field, text]) => {
    const [, step] = /^(\d+)(?:\/|$)/.exec(field) ?? [];
    if (step === undefined || !text.includes('"waiting":')) return [];
    const { waiting, nodeId } = JSON.parse(text) as { waiting?: Waiting; nodeId?: string };
    return waiting?.for === 'answer' ? [toQuestion(Number(step), waiting, nodeId)] : [];
  });
  return questions.toSorted((one, other) => deadlineOf(one) - deadlineOf(other) || one.step - other.step)[0];
}

function toQuestion(step: number, { prompt, schema, ...waiting }: Waiting, nodeId: string | undefined): Question {
  const text = prompt === undefined ? '' : typeof prompt === 'string' ? prompt : JSON.stringify(prompt);
  const isCut = text.length > MAX_PROMPT_CHARS;
  return {
    ...waiting,
    step,
    ...(nodeId !== undefined && { nodeId }),
    ...(prompt !== undefined && { prompt: isCut ? text.slice(0, MAX_PROMPT_CHARS) : prompt }),
    ...(isCut && { promptTruncated: { total: text.length } }),
    ...(schema !== undefined && JSON.stringify(schema).length <= MAX_SCHEMA_CHARS && { schema }),
  };
}

function deadlineOf({ until }: Question): number {
  return until === null ? Infinity : Date.parse(until);
}
