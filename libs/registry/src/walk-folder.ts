import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Report } from './library-problem.js';
import { codeOf, messageOf } from './thrown.js';

/**
 * The paths of all that lies below a folder and is not itself a folder, sorted; none where there is no such folder. Links to
 * folders are followed. What is hidden (a name that begins with a dot) and installed packages are passed over; a folder that cannot be
 * read, and a link that leads back, are reported. A folder that is called
 * like a file (`asFile`) is given, not entered.
 */
export function walkFolder(folder: string, report: Report, asFile: (name: string) => boolean = () => false): string[] {
  const found: string[] = [];
  collect(folder, [], found, { report, asFile });
  return found.toSorted((a, b) => (a < b ? -1 : 1));
}

interface Walk {
  report: Report;
  asFile: (name: string) => boolean;
}

function collect(folder: string, above: readonly string[], found: string[], walk: Walk): void {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const isAbsent = ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');
    if (!isAbsent) walk.report({ file: folder, message: `The folder cannot be read: ${messageOf(error)}` });
    return;
  }
  const here = [...above, realpathSync.native(folder)];
  for (const entry of entries) {
    if (isHidden(entry.name)) continue;
    const path = join(folder, entry.name);
    const isLink = entry.isSymbolicLink();
    const isFolder = entry.isDirectory() || (isLink && leadsToFolder(path));
    if (!isFolder || walk.asFile(entry.name)) found.push(path);
    else if (isLink && leadsBack(path, here))
      walk.report({ file: path, message: 'The link leads back to a folder that contains it; it is not followed' });
    else collect(path, here, found, walk);
  }
}

/** Whether a link leads to one of these folders, or to one around them. */
function leadsBack(path: string, folders: readonly string[]): boolean {
  const target = realpathSync.native(path);
  return folders.some((folder) => folder === target || folder.startsWith(target + sep));
}

function leadsToFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Whether a part of the path is a dot-file, or installed or cached by programs. */
export function isHidden(path: string): boolean {
  return path.split(sep).some((part) => part.startsWith('.') || part === 'node_modules' || part === '__pycache__');
}
