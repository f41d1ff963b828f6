import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { types } from 'node:util';
import { loadCode, type PluginCode } from './load-code.js';
import { stateOf } from './read-text.js';
import { walkFolder } from './walk-folder.js';

const CODE = /\.(?:[cm]?[jt]s|json|node)$/;
/** Folders of a plugin that hold no code of its nodes. */
const OTHERS = ['scripts', 'workflows'];

interface Loaded {
  state: string;
  entry: string;
  code: PluginCode;
}

/** The code of plugins, which is loaded again when one of its files has changed. */
export class PluginCodes {
  private readonly digests = new Map<string, { state: string; digest: string }>();
  private readonly loaded = new Map<string, Loaded>();

  /** What changes when a file of the code does: the names of all files with the digests of their contents. */
  stateOf(folder: string): string {
    return walkFolder(folder, () => undefined)
      .map((file) => relative(folder, file))
      .filter((path) => CODE.test(path) && !OTHERS.includes(path.split(sep, 1)[0]!))
      .map((path) => `${path} ${this.digestOf(join(folder, path))}`)
      .join('\n');
  }

  /**
   * The code of a plugin as it is now. An ES module stays in the process that has loaded it once: then `isStale`.
   * @throws Error saying what is wrong with the code, or whatever it throws itself
   */
  load(folder: string, entry: string): { code: PluginCode; isStale: boolean } {
    const state = this.stateOf(folder);
    const known = this.loaded.get(folder);
    if (known && known.state === state && known.entry === entry) return { code: known.code, isStale: false };
    forgetModules(folder);
    const code = loadCode(folder, entry);
    const isStale = known !== undefined && known.entry === entry && types.isModuleNamespaceObject(code.module);
    this.loaded.set(folder, { state, entry, code });
    return { code, isStale };
  }

  private digestOf(file: string): string {
    const state = stateOf(file);
    const known = this.digests.get(file);
    if (known && known.state === state) return known.digest;
    const digest = createHash('sha256').update(readFileSync(file)).digest('base64');
    if (state !== undefined) this.digests.set(file, { state, digest });
    return digest;
  }
}

/** Lets `require` read the modules of a folder anew; those of packages installed in it stay. */
function forgetModules(folder: string): void {
  const root = realpathSync.native(folder) + sep;
  for (const [path, module] of Object.entries(require.cache)) {
    if (!path.startsWith(root) || path.slice(root.length).split(sep).includes('node_modules')) continue;
    delete require.cache[path];
    for (const other of Object.values(require.cache)) {
      if (module && other?.children.includes(module)) other.children.splice(other.children.indexOf(module), 1);
    }
  }
}
