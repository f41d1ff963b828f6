import { existsSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';

/** Where the files of a draft belong. */
export interface DraftLocation {
  /** The folder of the script. */
  folder: string;
  /** The script's path as a tool file names it: relative to the folder `scripts`. */
  folderInScripts: string;
  /** Where tool files lie; undefined for a plugin, which declares its tools in `plugin.yaml`. */
  toolsFolder?: string;
  /** The plugin that the script belongs to. */
  plugin?: { manifest: string; name: string };
  /** Whether it lies where tools find it. */
  inLibrary: boolean;
}

/** Where a script lies: in the `scripts/` of a library or of a plugin, or somewhere else. */
export function locateDraft(script: string): DraftLocation {
  const folder = dirname(resolve(script));
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    if (basename(at) !== 'scripts') continue;
    const owner = dirname(at);
    const folderInScripts = relative(at, folder).split(sep).join('/');
    const manifest = join(owner, 'plugin.yaml');
    if (existsSync(manifest))
      return { folder, folderInScripts, plugin: { manifest, name: basename(owner) }, inLibrary: true };
    return { folder, folderInScripts, toolsFolder: join(owner, 'tools'), inLibrary: true };
  }
  return { folder, folderInScripts: '', toolsFolder: folder, inLibrary: false };
}

/** The name of a script without its ending. */
export function nameOfScript(script: string): string {
  return basename(script, extname(script));
}
