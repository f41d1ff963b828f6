import type { JsonObject, ScriptBundle } from '@errand/contracts';
import { EgressProxy, parseEgressPolicy, PROXY_ENVIRONMENT, readAllowHosts } from '../egress/index.js';
import type { SandboxSpec } from '../sandbox/index.js';
import type { Manifest } from './find-manifest.js';
import { hostRegistry } from './host-registry.js';

/** Where packages come from, and what they may do while they are installed. */
export interface PackageSources {
  pipIndexUrl: string;
  /** By default what npm on this host is set to. */
  npmRegistry?: string | undefined;
  /** Further hosts that packages are fetched from: an index may lead elsewhere. */
  hosts: readonly string[];
  /** Whether packages may run code of their own while they are installed, in their container. */
  runScripts: boolean;
  /** Certificate authorities to trust beside everyone's, as PEM. */
  authorities?: string;
}

/** The hosts that an index is known to lead to. */
const LEADS_TO: Readonly<Record<string, readonly string[]>> = { 'pypi.org': ['files.pythonhosted.org'] };
const MAX_BYTES = 4 * 1024 ** 3;
const MAX_CONNECTIONS = 100_000;
/** The installers are in the images (`install.py` and `install.ts` in `runtimes`): the script only calls them. */
const CALLERS = {
  python: {
    path: 'errand-install.py',
    text: 'import runpy\nrunpy.run_path("/opt/errand/install.py", run_name="__main__")\n',
  },
  bun: { path: 'errand-install.ts', text: 'await import("/opt/errand/install.ts");\n' },
} as const;

/** The proxy of installers: the operator has named the sources, so wherever they are is right. */
export function openPackageProxy(): EgressProxy {
  return new EgressProxy(parseEgressPolicy(['*', '0.0.0.0/0', '::/0']));
}

/**
 * The run that installs what a manifest asks for; its only way out leads to the sources of its language.
 * @throws ToolError DependencyError where it is not known where they are
 */
export async function installSpec(
  manifest: Manifest,
  sources: PackageSources,
  digest: string,
  proxy: EgressProxy,
): Promise<SandboxSpec> {
  const { language, files } = manifest;
  const index = language === 'python' ? sources.pipIndexUrl : (sources.npmRegistry ?? (await hostRegistry()));
  const caller = CALLERS[language];
  const entry = { path: caller.path, base64: Buffer.from(caller.text).toString('base64') };
  const bundle: ScriptBundle = { language, entry: entry.path, files: [entry, ...(language === 'python' ? files : [])] };
  const purpose = `the installer of ${manifest.path}`;
  return {
    invocationId: digest,
    step: 0,
    toolId: purpose,
    bundle,
    limits: {},
    input: {
      ...wishOf(manifest, index, sources),
      ...(sources.authorities !== undefined && { authorities: sources.authorities }),
    },
    // Whatever the host: an index on the runner's own loopback is not the sandbox's.
    env: { ...PROXY_ENVIRONMENT, NO_PROXY: '', no_proxy: '' },
    connect: proxy.admit({
      invocationId: digest,
      toolId: purpose,
      hosts: readAllowHosts(purpose, hostsOf(index, sources)),
      maxBytes: MAX_BYTES,
      maxConnections: MAX_CONNECTIONS,
      onConnect: () => {}, // what is refused, the installer reports
    }),
  };
}

function wishOf({ language, path, files }: Manifest, index: string, { runScripts }: PackageSources): JsonObject {
  if (language === 'python') {
    return { manifest: path, indexUrl: index, onlyBinary: !runScripts };
  }
  const named = files.map((file) => [file.path.split('/').at(-1)!, file.base64]);
  return { files: Object.fromEntries(named), registry: index, ignoreScripts: !runScripts };
}

function hostsOf(address: string, { hosts }: PackageSources): string[] {
  const { hostname, host, port } = new URL(address);
  return [port === '' ? hostname : host, ...(LEADS_TO[hostname] ?? []), ...hosts];
}
