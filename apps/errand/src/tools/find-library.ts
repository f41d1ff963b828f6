import { existsSync, lstatSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { KnownError } from '../known-error.js';

/** What a library folder may hold. */
const ROOMS = ['tools', 'plugins', 'workflows', 'agents', 'scripts'];

/** What to load to look at a path, and the path itself. */
export interface Place {
  /** The library that it belongs to, */
  library?: string;
  /** or the plugin, which lies in none. */
  plugin?: string;
  only: string;
}

/**
 * The library around a path: of the library itself, of a folder or file inside it, or of a plugin's folder that stands alone.
 * @throws KnownError for a path that is none of these
 */
export function findLibrary(path: string): Place {
  const target = resolve(path);
  if (!lstatSync(target, { throwIfNoEntry: false })) throw new KnownError(`There is no file or folder '${path}'`);
  if (ROOMS.some((room) => existsSync(join(target, room))) && !isPlugin(target))
    return { library: target, only: target };
  for (let at = target; at !== dirname(at); at = dirname(at)) {
    const isRoom = ROOMS.includes(basename(at)) && !isPlugin(dirname(at));
    if (isRoom) return { library: dirname(at), only: target };
    if (isPlugin(at) && basename(dirname(at)) !== 'plugins') return { plugin: at, only: target };
  }
  throw new KnownError(
    `${path} is no library: it has none of the folders ${ROOMS.map((room) => `${room}/`).join(' ')}, and lies in no library`,
  );
}

function isPlugin(path: string): boolean {
  return existsSync(join(path, 'plugin.yaml'));
}
