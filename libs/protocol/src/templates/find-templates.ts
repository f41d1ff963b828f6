import { isInvocationId, type Json } from '@errand/contracts';

/** A reference to another call's result, parsed. */
export type Template = { steps: number; path: string[] } | { job: string; path: string[] };

/** A template in a text: its extent, and what it refers to or why it can't be read. */
export interface FoundTemplate {
  start: number;
  end: number;
  text: string;
  template: Template | { problem: string };
}

/** Only what begins like this is a template; `{{name}}` of other template languages is text. */
const TEMPLATE = /\{\{\s*(?=steps\s*[.[}]|job\s*:)([^{}\n]{0,300})(\}\}|)/g;
const STEP = /^steps\.(\d{1,9})(?:\.result((?:\.[^.[\]\s]+|\[\d+\])*))?$/;
const JOB = /^job:([^.[\]\s]+)((?:\.[^.[\]\s]+|\[\d+\])*)$/;

/** Every template in a text, in order. */
export function findTemplates(text: string): FoundTemplate[] {
  if (!text.includes('{{')) return [];
  return [...text.matchAll(TEMPLATE)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    text: match[0],
    template: match[2] === '' ? { problem: 'is not closed with }}' } : readReference(match[1]!.trim()),
  }));
}

function readReference(reference: string): FoundTemplate['template'] {
  const [, step, inResult] = STEP.exec(reference) ?? [];
  if (step !== undefined) return { steps: Number(step), path: segments(inResult ?? '') };
  const [, job, inJob] = JOB.exec(reference) ?? [];
  if (job === undefined) return { problem: 'must read {{steps.<n>.result.<path>}} or {{job:<invocation id>.<path>}}' };
  return isInvocationId(job)
    ? { job, path: segments(inJob!) }
    : { problem: `names '${job}', which is no invocation id` };
}

function segments(path: string): string[] {
  return [...path.matchAll(/[^.[\]]+/g)].map(([segment]) => segment);
}

/** Whether a text is one template and nothing else: it then takes the value with its type. */
export function isTemplate(text: string): boolean {
  const [only] = findTemplates(text);
  return only !== undefined && only.start === 0 && only.end === text.length;
}

/** Whether any text in a value holds a template. Iterative: the value may not have been checked for its depth yet. */
export function containsTemplate(value: Json): boolean {
  const waiting: Json[] = [value];
  for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
    if (typeof item === 'string' && findTemplates(item).length > 0) return true;
    if (typeof item === 'object' && item !== null) for (const child of Object.values(item)) waiting.push(child);
  }
  return false;
}
