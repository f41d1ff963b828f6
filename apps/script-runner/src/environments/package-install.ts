import { basename } from 'node:path/posix';
import type { JsonObject, ScriptBundle } from '@errand/contracts';
import { EgressProxy, parseEgressPolicy, PROXY_ENVIRONMENT, readAllowHosts } from '../egress/index.js';
import type { SandboxSpec } from '../sandbox/index.js';
import type { Manifest } from './find-manifest.js';
import { hostRegistry } from './host-registry.js';

/** The sources of packages, and what packages may do while they are installed. */
export interface PackageSources {
  pipIndexUrl: string;
  /** Default: the registry of npm on this host. */
  npmRegistry?: string | undefined;
  /** Further hosts of packages, because an index can link to other hosts. */
  hosts: readonly string[];
  /** Whether packages may run their own code while they are installed, in their container. */
  runScripts: boolean;
  /** Additional certificate authorities, as PEM. */
  authorities?: string;
}

/** The hosts that a known index links to. */
const LINKED_HOSTS: Readonly<Record<string, readonly string[]>> = { 'pypi.org': ['files.pythonhosted.org'] };
const MAX_BYTES = 4 * 1024 ** 3;
const MAX_CONNECTIONS = 100_000;
/** The installers are in the images (`install.py` and `install.ts` in `runtimes`). The script only calls them. */
const CALLERS = {
  python: {
    path: 'errand-install.py',
    text: 'import runpy\nrunpy.run_path("/opt/errand/install.py", run_name="__main__")\n',
  },
  bun: { path: 'errand-install.ts', text: 'await import("/opt/errand/install.ts");\n' },
} as const;

/** The proxy of installers. It allows every address, because the operator names the sources. */
export function openPackageProxy(): EgressProxy {
  return new EgressProxy(parseEgressPolicy(['*', '0.0.0.0/0', '::/0']));
}

/**
 * Returns the run that installs the dependencies of a manifest. It reaches only the package sources of its language.
 * @throws ToolError DependencyError if the source is unknown
 */
export async function toInstallRun(
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
      ...inputOf(manifest, index, sources),
      ...(sources.authorities !== undefined && { authorities: sources.authorities }),
    },
    // All hosts go through the proxy: an index on the loopback of the runner is not on the loopback of the sandbox.
    env: { ...PROXY_ENVIRONMENT, NO_PROXY: '', no_proxy: '' },
    connect: proxy.open({
      invocationId: digest,
      toolId: purpose,
      hosts: readAllowHosts(purpose, hostsOf(index, sources)),
      maxBytes: MAX_BYTES,
      maxConnections: MAX_CONNECTIONS,
      onConnect: () => {}, // the installer reports a refused connection
    }),
  };
}

function inputOf({ language, path, files }: Manifest, index: string, { runScripts }: PackageSources): JsonObject {
  if (language === 'python') {
    return { manifest: path, indexUrl: index, onlyBinary: !runScripts };
  }
  const named = files.map((file) => [basename(file.path), file.base64]);
  return { files: Object.fromEntries(named), registry: index, ignoreScripts: !runScripts };
}

function hostsOf(address: string, { hosts }: PackageSources): string[] {
  const { hostname, host, port } = new URL(address);
  return [port === '' ? hostname : host, ...(LINKED_HOSTS[hostname] ?? []), ...hosts];
}
