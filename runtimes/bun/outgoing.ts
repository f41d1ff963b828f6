/** Packs the files that a script leaves in $ERRAND_OUT as a tar archive, like `runtimes/python/outgoing.py`. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync, type Dirent } from 'node:fs';
import { join, relative } from 'node:path';

const MAX_FILES = 256;
const MAX_DEPTH = 32;
const NAMED = 20;
const NAME_LENGTH = 200;

type Files = Record<string, Uint8Array>;
type Collected = [files: Files, report: object];

const NOTHING: Collected = [{}, {}];

/**
 * Returns the files by name, and their part of the report. No other process may be left, because a path must not change its
 * meaning. The function does not await, so all of it runs with the rights of the caller's thread.
 */
export function collectOutgoing(folder: string, maxBytes: number): Collected {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return NOTHING;
  const files: Files = {};
  const leftOut: string[] = [];
  let [count, size] = [0, 0];
  const open = [folder];
  for (const inside of open) {
    if (inside.split('/').length - folder.split('/').length > MAX_DEPTH) return exceeded('depth');
    for (const entry of list(inside)) {
      const path = join(inside, entry.name);
      if (entry.isDirectory()) open.push(path);
      if (entry.isDirectory()) continue;
      const data = read(path, maxBytes - size);
      if (data) files[relative(folder, path)] = data;
      else leftOut.push(relative(folder, path).slice(0, NAME_LENGTH));
      [count, size] = [count + 1, size + (data?.length ?? 0)];
      if (count > MAX_FILES) return exceeded('files');
      if (size > maxBytes) return exceeded('bytes');
    }
  }
  if (count === 0) return NOTHING;
  return [files, { outgoing: { leftOut: leftOut.slice(0, NAMED) } }];
}

/** Returns the archive, which is empty without files. */
export async function pack([files, report]: Collected): Promise<[archive: Uint8Array, report: object]> {
  const archive = Object.keys(files).length > 0 ? await new Bun.Archive(files).bytes() : new Uint8Array();
  return [archive, report];
}

function exceeded(bound: 'files' | 'bytes' | 'depth'): Collected {
  return [{}, { outgoing: { exceeded: bound, leftOut: [] } }];
}

/** Returns nothing for a folder that the script made unreadable. */
function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Reads a regular file, at most `room` + 1 bytes. Returns undefined for anything else. */
function read(path: string, room: number): Uint8Array | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const found = fstatSync(fd);
    if (!found.isFile()) return undefined;
    const data = Buffer.alloc(Math.min(found.size, room + 1));
    let length = 0;
    for (let more = 1; more > 0 && length < data.length; length += more)
      more = readSync(fd, data, length, data.length - length, null);
    return data.subarray(0, length);
  } finally {
    closeSync(fd);
  }
}
