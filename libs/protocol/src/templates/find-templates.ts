import { didYouMean, isInvocationId, type Json } from '@errand/contracts';
import { mayLookAlike } from './may-look-alike.js';

/** A reference to the result of a step (counted from 1) or of another invocation, with a path into that result. */
export type Template = { steps: number; path: string[] } | { job: string; path: string[] };

/**
 * A template in a text with its range, and its reference, its problem or its literal text. `literal` is a template
 * behind a backslash, without the backslash.
 */
export interface FoundTemplate {
  start: number;
  end: number;
  text: string;
  template: Template | { problem: string } | { literal: string };
}

/**
 * The exact form of a template. Every other text in double braces is literal. No part of the pattern matches a brace.
 */
const TEMPLATE = /(\\?)\{\{\s*((?:steps\s*\.\s*\d+(?![\p{L}\p{N}_-])|job\s*:\s*inv_)[^{}]*)\}\}/gu;
const STEP = /^steps\.(\d{1,9})(?:\.result((?:\.[^.[\]\s]+|\[\d+\])*))?$/;
const JOB = /^job:([^.[\]\s]+)((?:\.[^.[\]\s]+|\[\d+\])*)$/;
const MAX_REFERENCE = 2_000;

/** A possible misspelt template: its braces and the beginning of its content. */
const BRACED = /([{｛]{1,2})([^{}｛｝]{1,80})/gu;
const SHOWN = 60;
/** Returns all templates of a text in order, including those behind a backslash. Linear time. */
export function findTemplates(text: string): FoundTemplate[] {
  if (!text.includes('{{')) return [];
  return [...text.matchAll(TEMPLATE)].map(({ 0: found, 1: backslash, 2: reference = '', index }) => ({
    start: index,
    end: index + found.length,
    text: found,
    template: backslash ? { literal: found.slice(1) } : readReference(reference),
  }));
}

function readReference(written: string): FoundTemplate['template'] {
  if (written.length > MAX_REFERENCE) return { problem: `is longer than ${MAX_REFERENCE} characters` };
  const reference = written.trim().replace(/\s*([.:[\]])\s*/g, '$1');
  const [, step, inResult] = STEP.exec(reference) ?? [];
  if (step !== undefined) return { steps: Number(step), path: segments(inResult ?? '') };
  const [, job, inJob = ''] = JOB.exec(reference) ?? [];
  if (job === undefined) return { problem: 'must read {{steps.<n>.result.<path>}} or {{job:<invocation id>.<path>}}' };
  return isInvocationId(job)
    ? { job, path: segments(inJob) }
    : { problem: `names '${job.slice(0, SHOWN)}', which is not an invocation id` };
}

function segments(path: string): string[] {
  return [...path.matchAll(/[^.[\]]+/g)].map(([segment]) => segment);
}

/** Whether the whole text is one template. It then takes the value with its type. */
export function isTemplate(text: string): boolean {
  const [only] = findTemplates(text);
  return only !== undefined && only.start === 0 && only.end === text.length && !('literal' in only.template);
}

/**
 * Whether resolving templates changes any text in a value: it contains a template, also behind a backslash. Names of
 * properties are never templates. Iterative, because the depth may be unchecked.
 */
export function containsTemplate(value: Json): boolean {
  const waiting: Json[] = [value];
  for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
    if (typeof item === 'string' && findTemplates(item).length > 0) return true;
    if (typeof item === 'object' && item !== null) for (const child of Object.values(item)) waiting.push(child);
  }
  return false;
}

/** Returns the beginnings of texts that look like templates but are literal. Linear time. `templates` are those of the text. */
export function findLookalikes(text: string, templates: readonly FoundTemplate[] = findTemplates(text)): string[] {
  if (!mayLookAlike(text)) return [];
  const found: string[] = [];
  let next = 0;
  for (const { 0: shown, 1: braces = '', 2: inner = '', index } of text.matchAll(BRACED)) {
    while ((templates[next]?.end ?? Infinity) <= index) next++;
    const isKnown = (templates[next]?.start ?? Infinity) <= index;
    // `${{ … }}` belongs to another language.
    if (isKnown || text[index - 1] === '$' || !looksLikeReference(inner, braces.length === 2)) continue;
    found.push(
      shown.slice(0, SHOWN).trimEnd() +
        (/^[}｝]+/.exec(text.slice(index + shown.length, index + shown.length + 2))?.[0] ?? ''),
    );
  }
  return found;
}

/**
 * Whether a text between braces begins like a reference, or is one except for a typo: case, blanks, a letter, a mark.
 */
function looksLikeReference(inner: string, isDouble: boolean): boolean {
  if (isDouble && /^\s*(?:steps\s*[.[]|jobs?\s*:)/i.test(inner)) return true;
  const letters = inner
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_]/gu, '');
  if (/^[a-z]{0,6}_?inv_[0-9a-z]{20}/.test(letters)) return true;
  const [, word, rest = ''] = /^(\p{L}{3,7})_?\d{1,9}(.*)$/u.exec(letters) ?? [];
  const isWhole = rest.startsWith('res') || (isDouble && rest === '');
  return word !== undefined && isWhole && didYouMean(word, ['steps']) !== undefined;
}

/** Whether a text is one template with one brace too many. The value is then text, with the brace. */
export function hasStrayBrace(text: string, templates: readonly FoundTemplate[] = findTemplates(text)): boolean {
  if (!text.startsWith('{') || !text.endsWith('}')) return false;
  const [only, ...more] = templates;
  const around = only && more.length === 0 ? text.slice(0, only.start) + text.slice(only.end) : '';
  return /^[{}]+$/.test(around);
}
