import { dirname } from 'node:path';
import type { Problem } from '@errand/contracts';
import { checkFile, type CheckedFile } from '../files/check-file.js';
import type { PluginManifest } from '../files/file-shapes.js';
import type { Plugin } from '../files/library-files.js';
import type { ReportProblem } from '../files/library-problem.js';
import { locateProblem } from '../files/locate-problem.js';
import type { CodeLocation, PluginCode } from './load-code.js';
import { describeFault, type PluginCodes } from './plugin-codes.js';
import type { SourceFile } from '../files/source-file.js';

/** The namespaces of the tools of the built-in plugin. */
const BUILTIN_NAMESPACES = ['core', 'system', 'state', 'session', 'events', 'tools'];
/** Namespaces of the built-in plugin, of workflows and of agents. Others must not use them. */
export const RESERVED_NAMESPACES: readonly string[] = [...BUILTIN_NAMESPACES, 'workflow', 'agent'];

const STALE =
  'The code has changed, but a process loads an ES module only once: restart Errand, or write the code as CommonJS';

interface OpenOptions {
  /** The real path of the library or plugin. The files of the plugin must be inside. */
  root: string;
  isBuiltin: boolean;
  /** Whether its files are used without checks. */
  isTrusted: boolean;
  codes: PluginCodes;
}

/**
 * Opens a plugin by its `plugin.yaml`. A wrong manifest or failing code is reported, and only affects this plugin. Node
 * types of other namespaces are left out.
 */
export function openPlugin(
  source: SourceFile,
  { root, isBuiltin, isTrusted, codes }: OpenOptions,
  report: ReportProblem,
): { content: Plugin; isValid: boolean } | undefined {
  const checked = isTrusted ? trustedFile(source) : checkFile(source, 'plugin', report);
  if (!checked) return undefined;
  const manifest = checked.value;
  const folder = dirname(source.file);
  const fault = faultOf(manifest, isBuiltin);
  if (fault) report(locateProblem(source, fault));
  const code = codeOf({ folder, root, isBuiltin, isTrusted }, manifest, codes, (message) =>
    report(locateProblem(source, { path: '/nodes/entry', message })),
  );
  const nodes = (code?.nodes ?? []).filter(({ type }) => {
    const isOwn = manifest.name === '' || type.startsWith(`${manifest.name}:`);
    const message = `The node type '${type}' is left out: its name must begin with '${manifest.name}:'`;
    if (!isOwn) report(locateProblem(source, { path: '/nodes/entry', message }));
    return isOwn;
  });
  const namespaces = isBuiltin ? BUILTIN_NAMESPACES : [manifest.name];
  const services = code?.services ?? [];
  const hasCode = code !== undefined && !checked.faults.some(({ path }) => path.startsWith('/nodes'));
  const content = { folder, root, source, manifest, isBuiltin, isTrusted, namespaces, nodes, services, hasCode };
  return { content, isValid: checked.isValid && !fault && code !== undefined };
}

function trustedFile({ value }: SourceFile): CheckedFile<PluginManifest> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a test has checked its shape
  return { value: value as PluginManifest, faults: [], isValid: true };
}

function faultOf({ name }: PluginManifest, isBuiltin: boolean): Problem | undefined {
  if (isBuiltin || !RESERVED_NAMESPACES.includes(name)) return undefined;
  return { path: '/name', message: `The name '${name}' is reserved; choose another` };
}

function codeOf(
  location: Omit<CodeLocation, 'entry'>,
  manifest: PluginManifest,
  codes: PluginCodes,
  complain: (message: string) => void,
): Pick<PluginCode, 'nodes' | 'services'> | undefined {
  if (!manifest.nodes) return { nodes: [], services: [] };
  try {
    const { code, isStale, uncaughtErrors } = codes.load({ ...location, entry: manifest.nodes.entry });
    if (isStale) complain(STALE);
    for (const fault of uncaughtErrors) complain(`The code threw an uncaught error after it was loaded: ${fault}`);
    return code;
  } catch (error) {
    complain(`The code of the plugin cannot be loaded: ${describeFault(location.folder, error)}`);
    return undefined;
  }
}
