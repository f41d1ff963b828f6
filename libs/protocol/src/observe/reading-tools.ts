import type { Artifact } from '@errand/contracts';
import { oneLine } from './one-line.js';

/** The tools by which a model reads on. */
export const READ_RESULT = 'core:read-result';
export const READ_ARTIFACT = 'core:read-artifact';

/** Which of these tools the reader of an Observation may call: an Observation names only what its reader can do. */
export interface Readable {
  result: boolean;
  artifact: boolean;
}

/** @param sees whether the reader may call a tool */
export function readableWith(sees: (toolId: string) => boolean): Readable {
  return { result: sees(READ_RESULT), artifact: sees(READ_ARTIFACT) };
}

const MAX_FILES = 20;
const MAX_NAME = 300;
const GROUPED = new Intl.NumberFormat('en-US');

/** How much of a result is shown, and how to read on: of one of several steps, with the path to it. */
export function cutNote(
  { shown, total }: { shown: number; total: number },
  { invocation, step, readable }: { invocation: string; step: number | undefined; readable: Readable },
): string {
  const lengths = `cut at ${GROUPED.format(shown)} of ${GROUPED.format(total)} characters`;
  const path = step === undefined ? '' : `, path /${step}`;
  const more = `; read more: tool ${READ_RESULT}, invocation ${invocation}${path}, offset ${shown}`;
  return `[${lengths}${readable.result ? more : ''}]`;
}

/** The files that scripts handed out, with size and type, and how to read one. No line where there are none. */
export function observeArtifacts(
  artifacts: readonly Artifact[],
  { invocation, several, readable }: { invocation: string; several: boolean; readable: Readable },
): string[] {
  if (artifacts.length === 0) return [];
  const files = artifacts.slice(0, MAX_FILES).map(({ name, size, contentType, step }) => {
    const facts = [`${GROUPED.format(size)} bytes`, contentType, ...(several ? [`step ${step + 1}`] : [])];
    return `${nameOf(name)} (${facts.join(', ')})`;
  });
  const left = artifacts.length - files.length;
  if (left > 0) files.push(`${left} more`);
  const more = readable.artifact ? ` [read one: tool ${READ_ARTIFACT}, invocation ${invocation}, name]` : '';
  return [`Observation: Files handed out: ${files.join(', ')}.${more}`];
}

/** In quotes where its end could be mistaken. */
function nameOf(name: string): string {
  const shown = oneLine(name, MAX_NAME);
  return /^[\p{L}\p{N}_./-]+$/u.test(shown) ? shown : JSON.stringify(shown);
}
