import { extname, isAbsolute, normalize, resolve } from 'node:path';
import { runInNewContext } from 'node:vm';
import { isObject, type NodeType } from '@errand/contracts';
import { checkNodeType } from './check-node-type.js';
import { isInside } from '../files/follow-link.js';
import { checkService, type Service } from './call-service.js';

export interface PluginCode {
  nodes: NodeType[];
  services: Service[];
  /** The loaded module. */
  module: unknown;
}

/** The location of the code of a plugin. */
export interface CodeLocation {
  folder: string;
  entry: string;
  /** The real path of the library. The entry must be inside. */
  root: string;
  isBuiltin: boolean;
  /** Whether its node types are used without checks. */
  isTrusted?: boolean;
}

/**
 * The time limit for loading the code of a plugin, in ms. It only ends an endless loop: on a busy machine, 1 s of work
 * can take many seconds.
 */
const LOAD_MS = 10_000;

/**
 * Loads the entry module of a plugin: `nodes/index` or `nodes/index.js`, as CommonJS or as an ES module without
 * top-level await. It exports `nodes`, `services` or both. The built-in plugin is part of the program and has no time
 * limit.
 * @throws Error that says what the module lacks, or any error of the module
 */
export function loadCode({ folder, entry, root, isBuiltin, isTrusted }: CodeLocation, limitMs = LOAD_MS): PluginCode {
  if (isAbsolute(entry) || normalize(entry).startsWith('..')) throw new Error('The entry must be inside the plugin');
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
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a test has checked trusted ones
  const checked = isTrusted ? (nodes as NodeType[]) : nodes.map(checkNodeType);
  return { nodes: checked, services: services.map(checkService), module };
}

/** Resolves the entry as written, else without its extension: `index.ts` in the sources is `index.js` in the build. */
function resolveEntry(pluginFolder: string, entry: string): string {
  const path = resolve(pluginFolder, entry);
  for (const candidate of [path, path.slice(0, path.length - extname(path).length)]) {
    try {
      return require.resolve(candidate);
    } catch {
      continue;
    }
  }
  throw new Error(`The folder of the plugin has no module '${entry}'`);
}

/**
 * Runs the code of a module while it loads. The code must not end or block the process. Nothing else runs meanwhile, so
 * that functions of the process can be replaced for that time. This does not stop malicious code: plugins are trusted.
 */
function guarded<T>(load: () => T, limitMs: number): T {
  const refuse = (what: string) => (): never => {
    throw new Error(`it calls ${what} when it is loaded`);
  };
  const own = { exit: process.exit.bind(process), abort: process.abort.bind(process) };
  Object.assign(process, { exit: refuse('process.exit'), abort: refuse('process.abort') });
  try {
    // Only a context has a time limit. It applies to all calls from inside.
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
