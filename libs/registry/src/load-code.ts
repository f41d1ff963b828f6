import { extname, isAbsolute, normalize, resolve } from 'node:path';
import { isObject, own, type NodeType, type ServiceType } from '@errand/contracts';

export interface PluginCode {
  nodes: NodeType[];
  services: ServiceType[];
}

/**
 * Loads the entry module of a plugin: `nodes/index` or `nodes/index.js`, CommonJS or an ES module without top-level await. It
 * exports `nodes` and, if it likes, `services`.
 * @throws Error saying what the module lacks, or whatever it throws itself
 */
export function loadCode(pluginFolder: string, entry: string): PluginCode {
  if (isAbsolute(entry) || normalize(entry).startsWith('..')) throw new Error('The entry must lie inside the plugin');
  const loaded: unknown = require(resolveEntry(resolve(pluginFolder, entry)));
  const exported = isObject(loaded) && isObject(loaded.default) ? { ...loaded.default, ...loaded } : loaded;
  if (!isObject(exported) || (!exported.nodes && !exported.services)) {
    throw new Error("The entry must export 'nodes', 'services' or both");
  }
  const { nodes = [], services = [] } = exported;
  if (!Array.isArray(nodes) || !Array.isArray(services)) throw new Error("'nodes' and 'services' must be lists");
  nodes.forEach(requireNodeType);
  services.forEach(requireService);
  return { nodes, services };
}

/** The entry as written, else without its ending: `index.ts` in the sources is `index.js` in the build. */
function resolveEntry(path: string): string {
  for (const candidate of [path, path.slice(0, path.length - extname(path).length)]) {
    try {
      return require.resolve(candidate);
    } catch {
      continue;
    }
  }
  throw new Error(`There is no module ${path}`);
}

function requireNodeType(node: unknown, index: number): void {
  const name = isObject(node) && typeof node.type === 'string' ? `'${node.type}'` : `number ${index + 1}`;
  const lacks = (what: string) => new Error(`The node type ${name} has no ${what}`);
  if (!isObject(node) || typeof node.type !== 'string') throw lacks("'type'");
  if (typeof node.description !== 'string') throw lacks("'description'");
  if (!isObject(node.inputs)) throw lacks("'inputs'");
  if (!isObject(node.outputs)) throw lacks("'outputs'");
  if (typeof node.run !== 'function') throw lacks("function 'run'");
}

function requireService(service: unknown, index: number): void {
  if (!isObject(service) || typeof service.name !== 'string')
    throw new Error(`Service number ${index + 1} has no 'name'`);
  const methods = own(service, 'methods');
  if (!isObject(methods) || !Object.values(methods).every((method) => typeof method === 'function')) {
    throw new Error(`The service '${service.name}' must have 'methods' that are functions`);
  }
}
