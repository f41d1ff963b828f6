import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A digest of the contents of files and folders (paths relative to `root`). Any edit, new file, renaming or removal changes it. */
export function digestOf(root, paths, isCounted = () => true) {
  const hash = createHash('sha256');
  for (const path of paths.flatMap((start) => filesUnder(root, start)).filter(isCounted)) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  }
  return hash.digest('hex');
}

/** Every file at or under a path, in a fixed order; an empty list if the path does not exist. */
function filesUnder(root, path) {
  const full = join(root, path);
  if (!existsSync(full)) return [];
  if (statSync(full).isFile()) return [path];
  return readdirSync(full, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(path, join(entry.parentPath, entry.name).slice(full.length)))
    .toSorted();
}

/** Whether the work for `digest` is done. `file` has the digest of the last finished work. */
export function isStamped(file, digest) {
  return existsSync(file) && readFileSync(file, 'utf8') === digest;
}

export function stamp(file, digest) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, digest);
}
