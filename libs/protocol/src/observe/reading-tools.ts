import type { Artifact } from '@errand/contracts';
import { oneLine } from './one-line.js';

/** The tools by which a model reads long results and files. */
export const READ_RESULT = 'core:read-result';
export const READ_ARTIFACT = 'core:read-artifact';

/** Which of these tools the reader may call. An Observation names only tools that its reader may call. */
export interface Readable {
  result: boolean;
  artifact: boolean;
}

/** @param sees whether the reader may call a tool */
export function readableWith(sees: (toolId: string) => boolean): Readable {
  // Few Observations are cut or have files, so that the tools are looked up when a note needs them.
  return {
    get result() {
      return sees(READ_RESULT);
    },
    get artifact() {
      return sees(READ_ARTIFACT);
    },
  };
}

const MAX_FILES = 20;
const MAX_NAME = 300;
const GROUPED = new Intl.NumberFormat('en-US');

/** The note behind a cut result: its lengths and how to read on. For one of several steps it includes the path. */
export function cutNote(
  { shown, total }: { shown: number; total: number },
  { invocation, step, readable }: { invocation: string; step: number | undefined; readable: Readable },
): string {
  const lengths = `cut at ${GROUPED.format(shown)} of ${GROUPED.format(total)} characters`;
  const path = step === undefined ? '' : `, path /${step}`;
  const more = `; read more: tool ${READ_RESULT}, invocation ${invocation}${path}, offset ${shown}`;
  return `[${lengths}${readable.result ? more : ''}]`;
}

/** Returns a line with the files of scripts: name, size, type, and how to read one. Returns no line without files. */
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

/** The name, in quotes if its end would be unclear. */
function nameOf(name: string): string {
  const shown = oneLine(name, MAX_NAME);
  return /^[\p{L}\p{N}_./-]+$/u.test(shown) ? shown : JSON.stringify(shown);
}
