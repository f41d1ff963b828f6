import { existsSync, mkdtempSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { KnownError } from '../known-error.js';

/** What a library folder may hold. */
const ROOMS = ['tools', 'plugins', 'workflows', 'agents', 'scripts'];

/** The library that a path belongs to, and the path inside it that is meant. */
export interface Place {
  library: string;
  only: string;
  /** Takes away what had to be made to see the path as part of a library. */
  release(): void;
}

const nothing = () => {};

/**
 * The library around a path: of the library itself, of a folder or file inside it, or of a plugin's folder that stands alone.
 * @throws KnownError for a path that is none of these
 */
export function findLibrary(path: string): Place {
  const target = resolve(path);
  if (!existsSync(target)) throw new KnownError(`There is no file or folder '${path}'`);
  if (ROOMS.some((room) => existsSync(join(target, room))) && !isPlugin(target))
    return { library: target, only: target, release: nothing };
  for (let at = target; at !== dirname(at); at = dirname(at)) {
    const isRoom = ROOMS.includes(basename(at)) && !isPlugin(dirname(at));
    if (isRoom) return { library: dirname(at), only: target, release: nothing };
    if (isPlugin(at) && basename(dirname(at)) !== 'plugins') return aroundPlugin(at, target);
  }
  throw new KnownError(
    `${path} is no library: it has none of the folders ${ROOMS.map((room) => `${room}/`).join(' ')}, and lies in no library`,
  );
}

function isPlugin(path: string): boolean {
  return statSync(path).isDirectory() && existsSync(join(path, 'plugin.yaml'));
}

/** A library for a moment, of which the plugin is all. */
function aroundPlugin(plugin: string, only: string): Place {
  const library = mkdtempSync(join(tmpdir(), 'errand-check-'));
  mkdirSync(join(library, 'plugins'));
  symlinkSync(plugin, join(library, 'plugins', basename(plugin)));
  return { library, only, release: () => rmSync(library, { recursive: true }) };
}
