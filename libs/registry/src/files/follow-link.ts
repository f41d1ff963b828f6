import { readlinkSync, realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { codeOf } from '../plugins/thrown-values.js';

/** The real path of a library, or its own path if the real one cannot be read. */
export function realRootOf(folder: string): string {
  return realPathOf(folder).real ?? resolve(folder);
}

/** Whether a path exists and its real path is `root` or inside it. `root` is a real path. */
export function isInside(path: string, root: string): boolean {
  const { real } = realPathOf(path);
  return real !== undefined && isWithin(real, root);
}

/**
 * The real path of a link, or the reason why Errand does not follow it. The message never has content of the target.
 */
export function followLink(path: string, root: string): { real: string } | { fault: string } {
  const { real, code } = realPathOf(path);
  if (real === undefined) return { fault: `The link ${faultOf(code)}, ${targetOf(path)}` };
  if (isWithin(real, root)) return { real };
  return { fault: `The link leads out of the library, to ${targetOf(path)}; it is not followed` };
}

/** Whether a real path is a folder or inside it. */
export function isWithin(real: string, folder: string): boolean {
  return real === folder || real.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function faultOf(code: string | undefined): string {
  if (code === 'ELOOP') return 'leads back to itself';
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'leads to a missing file';
  return `cannot be followed (${code})`;
}

/** The text of the link itself. */
function targetOf(path: string): string {
  try {
    return JSON.stringify(readlinkSync(path));
  } catch {
    return 'an unknown target';
  }
}

function realPathOf(path: string): { real?: string; code?: string } {
  try {
    return { real: realpathSync.native(path) };
  } catch (error) {
    return { code: codeOf(error) ?? 'unknown' };
  }
}
