import { isObject, type Problem } from '@errand/contracts';
import { nameOfPath, valueAt } from './json-pointer.js';
import type { LibraryProblem } from './library-problem.js';
import type { SourceFile } from './source-file.js';

/** Adds the line and column of its JSON Pointer to a problem. */
export function locateProblem(source: SourceFile, problem: Problem): LibraryProblem {
  const { path, suggestion } = problem;
  return {
    file: source.file,
    ...source.positionOf(path),
    ...(path !== '' && { field: nameOfPath(path) }),
    message: messageIn(source.value, problem),
    ...(suggestion !== undefined && { suggestion }),
  };
}

/**
 * The message of a problem. The node of a workflow and the wrong value are added if the message does not contain them.
 */
export function messageIn(whole: unknown, { path, message }: Problem): string {
  return `${withValue(message, path, whole)}${partOfWorkflow(message, path, whole)}`;
}

const MAX_SHOWN = 100;

/** Messages about a value. They may contain its name, so that the value is looked up. */
const OF_VALUE = /\bmust (?:be|have|fit|not|match)|\bcannot be read\b|\bmay not\b/;

function withValue(message: string, path: string, whole: unknown): string {
  const isOther = path === '' || !OF_VALUE.test(message) || message.startsWith('The default does not fit');
  const value = isOther ? undefined : valueAt(whole, path);
  if (value === undefined) return message;
  const shown = JSON.stringify(value);
  const isSaid = typeof value === 'string' ? value !== '' && message.endsWith(value) : message.endsWith(` ${shown}`);
  if (isSaid) return message;
  const cut = shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown;
  return /, got [^,]*$/.test(message) ? `${message}: ${cut}` : `${message}, got ${cut}`;
}

/** The id of the node, or the nodes of the edge. Their index alone helps nobody. */
function partOfWorkflow(message: string, path: string, whole: unknown): string {
  const part = /^\/(?:nodes|edges)\/\d+/.exec(path)?.[0];
  const found = part === undefined ? undefined : valueAt(whole, part);
  if (!isObject(found)) return '';
  const ends = path.startsWith('/nodes') ? [found.id] : [found.source, found.target];
  const named = ends.filter((id) => typeof id === 'string').map((id) => `'${id}'`);
  if (named.every((id) => message.includes(id))) return '';
  return path.startsWith('/nodes') ? ` (node ${named[0]})` : ` (edge of ${named.join(' and ')})`;
}
