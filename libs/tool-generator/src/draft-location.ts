import { existsSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';

/** The location of the files of a draft. */
export interface DraftLocation {
  /** The folder of the script. */
  folder: string;
  /** The folder of the script, relative to the folder `scripts`. */
  folderInScripts: string;
  /** The folder of tool files. A plugin does not use it: it declares its tools in `plugin.yaml`. */
  toolsFolder: string;
  /** The plugin that the script belongs to. */
  plugin?: { manifest: string; name: string };
  /** Whether the script is in a folder `scripts`, where tools find it. */
  inLibrary: boolean;
}

/** Locates a script: in the `scripts/` of a library or plugin, or elsewhere. */
export function locateDraft(script: string): DraftLocation {
  const folder = dirname(resolve(script));
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    if (basename(at) !== 'scripts') continue;
    const owner = dirname(at);
    const folderInScripts = relative(at, folder).split(sep).join('/');
    const manifest = join(owner, 'plugin.yaml');
    const plugin = existsSync(manifest) ? { manifest, name: basename(owner) } : undefined;
    return { folder, folderInScripts, toolsFolder: join(owner, 'tools'), ...(plugin && { plugin }), inLibrary: true };
  }
  return { folder, folderInScripts: '', toolsFolder: folder, inLibrary: false };
}

/** The name of a script without its extension. */
export function nameOfScript(script: string): string {
  return basename(script, extname(script));
}
