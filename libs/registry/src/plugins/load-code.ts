import { extname, isAbsolute, normalize, resolve } from 'node:path';
import { runInNewContext } from 'node:vm';
import { isObject, type NodeType } from '@errand/contracts';
import { checkNodeType } from './check-node-type.js';
import { isInside } from '../files/follow-link.js';
import { checkService, type Service } from './call-service.js';

export interface PluginCode {
  nodes: NodeType[];
  services: Service[];
  /** What was loaded, as it is. */
  module: unknown;
}

/** Where the code of a plugin is. */
export interface CodeLocation {
  folder: string;
  entry: string;
  /** The real path of the library, which the entry may not leave. */
  root: string;
  isBuiltin: boolean;
}

/** How long the code of a plugin may take to load. It only ends an endless loop: on a busy machine a second of work takes many. */
const LOAD_MS = 10_000;

/**
 * Loads the entry module of a plugin: `nodes/index` or `nodes/index.js`, CommonJS or an ES module without top-level await. It
 * exports `nodes` and, if it likes, `services`. The built-in plugin is part of the program: no time limit holds for it.
 * @throws Error saying what the module lacks, or whatever it throws itself
 */
export function loadCode({ folder, entry, root, isBuiltin }: CodeLocation, limitMs = LOAD_MS): PluginCode {
  if (isAbsolute(entry) || normalize(entry).startsWith('..')) throw new Error('The entry must lie inside the plugin');
  const path = resolveEntry(folder, entry);
  if (!isInside(path, root)) throw new Error('The entry is behind a link that leads out of the library');
  const load = (): unknown => require(path);
  const module: unknown = isBuiltin ? load() : guarded(load, limitMs);
  const exported = isObject(module) && isObject(module.default) ? { ...module.default, ...module } : module;
  if (!isObject(exported) || (!exported.nodes && !exported.services)) {
    throw new Error("The entry must export 'nodes', 'services' or both");
  }
  const { nodes = [], services = [] } = exported;
  if (!Array.isArray(nodes) || !Array.isArray(services)) throw new Error("'nodes' and 'services' must be lists");
  return { nodes: nodes.map(checkNodeType), services: services.map(checkService), module };
}

/** The entry as written, else without its ending: `index.ts` in the sources is `index.js` in the build. */
function resolveEntry(pluginFolder: string, entry: string): string {
  const path = resolve(pluginFolder, entry);
  for (const candidate of [path, path.slice(0, path.length - extname(path).length)]) {
    try {
      return require.resolve(candidate);
    } catch {
      continue;
    }
  }
  throw new Error(`There is no module '${entry}' in the folder of the plugin`);
}

/**
 * Runs the code of a module while it loads: it may neither end the process nor hang it. Nothing else runs meanwhile, so the
 * process's own functions can be replaced for that time. (Against malice this is no wall: the code of plugins is trusted.)
 */
function guarded<T>(load: () => T, limitMs: number): T {
  const refuse = (what: string) => (): never => {
    throw new Error(`it calls ${what} when it is loaded`);
  };
  const own = { exit: process.exit.bind(process), abort: process.abort.bind(process) };
  Object.assign(process, { exit: refuse('process.exit'), abort: refuse('process.abort') });
  try {
    // A time limit is something that only a context has; it holds for all that is called from there.
    return runInNewContext('load()', { load }, { timeout: limitMs });
  } catch (error) {
    if (isObject(error) && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      throw new Error(`it does not end loading within ${limitMs / 1000} s`, { cause: error });
    if (isObject(error) && error.code === 'ERR_REQUIRE_ASYNC_MODULE')
      throw new Error('it is an ES module with a top-level await, which cannot be waited for', { cause: error });
    throw error;
  } finally {
    Object.assign(process, own);
  }
}
