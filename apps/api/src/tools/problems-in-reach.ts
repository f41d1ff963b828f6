import type { LibraryProblem } from '@errand/contracts';
import { EVERY_TENANT } from '@errand/queue';
import { basename, relative, resolve, sep } from 'node:path';
import type { RequestScope } from '../http/request-scope.js';

/**
 * The problems of the library, as a request shows them. The operator gets the paths of the host. Others get paths relative to the library,
 * because a tenant must not learn where the operator keeps it.
 */
export function problemsInReach(
  problems: readonly LibraryProblem[],
  folders: readonly string[],
  { reach }: Pick<RequestScope, 'reach'>,
): readonly LibraryProblem[] {
  if (reach === EVERY_TENANT) return problems;
  // The path of a nested folder begins with that of its parent.
  const roots = folders.map((folder) => resolve(folder)).toSorted((a, b) => b.length - a.length);
  return problems.map((problem) => ({
    ...problem,
    file: fileWithin(roots, resolve(problem.file)),
    message: roots.reduce(
      (text, root) => text.replaceAll(root + sep, '').replaceAll(root, basename(root)),
      problem.message,
    ),
  }));
}

/** The path inside the library; of a file elsewhere, and of a library itself, the name alone. */
function fileWithin(roots: readonly string[], file: string): string {
  const root = roots.find((each) => file.startsWith(each + sep));
  return root === undefined ? basename(file) : relative(root, file).split(sep).join('/');
}
