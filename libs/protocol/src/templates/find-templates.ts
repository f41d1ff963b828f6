import { didYouMean, isInvocationId, type Json } from '@errand/contracts';

/** A reference to the result of a step (counted from 1) or of another invocation, with a path into that result. */
export type Template = { steps: number; path: string[] } | { job: string; path: string[] };

/**
 * A template in a text: its extent, and what it refers to, why it cannot be read, or the text that it stands for. `literal` is
 * a template behind a backslash: the text of the template without the backslash.
 */
export interface FoundTemplate {
  start: number;
  end: number;
  text: string;
  template: Template | { problem: string } | { literal: string };
}

/** A template is exactly this. Every other text in double braces is literal. No part of the pattern passes a brace. */
const TEMPLATE = /(\\?)\{\{\s*((?:steps\s*\.\s*\d+(?![\p{L}\p{N}_-])|job\s*:\s*inv_)[^{}]*)\}\}/gu;
const STEP = /^steps\.(\d{1,9})(?:\.result((?:\.[^.[\]\s]+|\[\d+\])*))?$/;
const JOB = /^job:([^.[\]\s]+)((?:\.[^.[\]\s]+|\[\d+\])*)$/;
const MAX_REFERENCE = 2_000;

/** What may be a misspelt template: its braces and the beginning of what is between them. */
const BRACED = /([{｛]{1,2})([^{}｛｝]{1,80})/gu;
const SHOWN = 60;

/** Every template in a text, in order; those behind a backslash too. Linear time. */
export function findTemplates(text: string): FoundTemplate[] {
  if (!text.includes('{{')) return [];
  return [...text.matchAll(TEMPLATE)].map(({ 0: found, 1: backslash, 2: reference, index }) => ({
    start: index,
    end: index + found.length,
    text: found,
    template: backslash ? { literal: found.slice(1) } : readReference(reference!),
  }));
}

function readReference(written: string): FoundTemplate['template'] {
  if (written.length > MAX_REFERENCE) return { problem: `is longer than ${MAX_REFERENCE} characters` };
  const reference = written.trim().replace(/\s*([.:[\]])\s*/g, '$1');
  const [, step, inResult] = STEP.exec(reference) ?? [];
  if (step !== undefined) return { steps: Number(step), path: segments(inResult ?? '') };
  const [, job, inJob] = JOB.exec(reference) ?? [];
  if (job === undefined) return { problem: 'must read {{steps.<n>.result.<path>}} or {{job:<invocation id>.<path>}}' };
  return isInvocationId(job)
    ? { job, path: segments(inJob!) }
    : { problem: `names '${job.slice(0, SHOWN)}', which is not an invocation id` };
}

function segments(path: string): string[] {
  return [...path.matchAll(/[^.[\]]+/g)].map(([segment]) => segment);
}

/** Whether a text is one template and nothing else: it then takes the value with its type. */
export function isTemplate(text: string): boolean {
  const [only] = findTemplates(text);
  return only !== undefined && only.start === 0 && only.end === text.length && !('literal' in only.template);
}

/**
 * Whether any text in a value changes when templates are resolved: it holds a template, or one behind a backslash. Names of
 * properties are never templates. Iterative: the depth of the value may be unchecked.
 */
export function containsTemplate(value: Json): boolean {
  const waiting: Json[] = [value];
  for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
    if (typeof item === 'string' && findTemplates(item).length > 0) return true;
    if (typeof item === 'object' && item !== null) for (const child of Object.values(item)) waiting.push(child);
  }
  return false;
}

/** The beginnings of all texts that look like a template and are none: they stay as they are. Linear time. */
export function findLookalikes(text: string): string[] {
  if (!/[{｛]/.test(text)) return [];
  const templates = findTemplates(text);
  const found: string[] = [];
  let next = 0;
  for (const { 0: shown, 1: braces, 2: inner, index } of text.matchAll(BRACED)) {
    while (next < templates.length && templates[next]!.end <= index) next++;
    const isKnown = next < templates.length && templates[next]!.start <= index;
    // `${{ … }}` belongs to another language.
    if (isKnown || text[index - 1] === '$' || !looksLikeReference(inner!, braces!.length === 2)) continue;
    found.push(
      shown.slice(0, SHOWN).trimEnd() +
        (/^[}｝]+/.exec(text.slice(index + shown.length, index + shown.length + 2))?.[0] ?? ''),
    );
  }
  return found;
}

/** Whether a text between braces begins as a reference does, or is one but for a slip: case, blanks, a letter, a mark. */
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

/** Whether a text is one template with a brace too many: the value is then text, with the brace. */
export function hasStrayBrace(text: string): boolean {
  if (!text.startsWith('{') || !text.endsWith('}')) return false;
  const [only, ...more] = findTemplates(text);
  const around = only && more.length === 0 ? text.slice(0, only.start) + text.slice(only.end) : '';
  return /^[{}]+$/.test(around);
}
