import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** What is read of a file at once. Each command reads 1,500 files: a buffer for each of them would take a third of the time. */
const part = Buffer.allocUnsafeSlow(64 * 1024);

/** A digest of the contents of files and folders (paths relative to `root`). Any edit, new file, renaming or removal changes it. */
export function digestOf(root, paths, isCounted = () => true) {
  const hash = createHash('sha256');
  for (const path of paths.flatMap((start) => filesUnder(root, start)).filter(isCounted)) {
    hash.update(`${path}\0`);
    addContents(hash, `${root}/${path}`);
    hash.update('\0');
  }
  return hash.digest('hex');
}

function addContents(hash, path) {
  const file = openSync(path);
  try {
    for (let count = part.length; count === part.length;) {
      count = readSync(file, part);
      hash.update(part.subarray(0, count));
    }
  } finally {
    closeSync(file);
  }
}

/** Every file at or under a path, in a fixed order; an empty list if the path does not exist. */
function filesUnder(root, path) {
  const full = `${root}/${path}`;
  if (!existsSync(full)) return [];
  if (statSync(full).isFile()) return [path];
  return filesIn(root, path).toSorted();
}

/** The option `recursive` of Node.js 20 takes more time than the files themselves. */
function filesIn(root, folder) {
  return readdirSync(`${root}/${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesIn(root, path);
    return entry.isFile() ? [path] : [];
  });
}

/** Whether the work for `digest` is done. `file` has the digest of the last finished work. */
export function isStamped(file, digest) {
  return existsSync(file) && readFileSync(file, 'utf8') === digest;
}

export function stamp(file, digest) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, digest);
}
