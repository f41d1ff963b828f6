import { readdirSync, statSync, type Dirent } from 'node:fs';
import { join, sep } from 'node:path';
import { followLink, isInside, isWithin, realRootOf } from './follow-link.js';
import type { ReportProblem } from './library-problem.js';
import { codeOf, messageOf } from '../plugins/thrown-values.js';

interface WalkOptions {
  /** The real path of the library. Links to files outside are not followed. */
  root: string;
  /** Receives unreadable folders, and links that are not followed. */
  report?: ReportProblem;
  /** A folder for which this is true is returned like a file, and not entered. */
  asFile?: (name: string) => boolean;
}

/**
 * The sorted paths of all files below a folder; empty if the folder does not exist or is outside the library. Each real
 * folder is entered once, so that the cost is linear for any links. Hidden names (see `isHidden`) are skipped.
 */
export function walkFolder(folder: string, { root, report, asFile = () => false }: WalkOptions): string[] {
  const walk: Walk = { root, report: report ?? (() => undefined), asFile, found: [], entered: new Set() };
  if (isInside(folder, root)) enter(folder, realRootOf(folder), [], walk);
  return walk.found.toSorted((a, b) => (a < b ? -1 : 1));
}

interface Walk extends Required<WalkOptions> {
  found: string[];
  /** Real paths. */
  entered: Set<string>;
}

/** Enters folders before links, so that a file gets its own path and not that of a link. */
function enter(folder: string, real: string, above: readonly string[], walk: Walk): void {
  if (walk.entered.has(real)) return;
  walk.entered.add(real);
  const here = [...above, real];
  const entries = entriesOf(folder, walk);
  for (const entry of entries.filter((each) => !each.isSymbolicLink())) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory() || walk.asFile(entry.name)) walk.found.push(path);
    else enter(path, join(real, entry.name), here, walk);
  }
  for (const entry of entries.filter((each) => each.isSymbolicLink())) takeLink(join(folder, entry.name), here, walk);
}

function takeLink(path: string, above: readonly string[], walk: Walk): void {
  const target = followLink(path, walk.root);
  if ('fault' in target) return walk.report({ file: path, message: target.fault });
  if (above.some((folder) => isWithin(folder, target.real))) {
    return walk.report({ file: path, message: 'The link leads back to a folder that contains it; it is not followed' });
  }
  if (isFolder(target.real) && !walk.asFile(path)) enter(path, target.real, above, walk);
  else walk.found.push(path);
}

function entriesOf(folder: string, { report }: Walk): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !isHidden(name))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    const isAbsent = ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');
    if (!isAbsent) report({ file: folder, message: `The folder cannot be read: ${messageOf(error)}` });
    return [];
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Whether a part of the path is a dot-file, or is installed or cached by programs. */
export function isHidden(path: string): boolean {
  return path.split(sep).some((part) => part.startsWith('.') || part === 'node_modules' || part === '__pycache__');
}
