import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Language, ScriptBundle, Tool } from '@errand/contracts';
import {
  EnvironmentError,
  type Logger,
  type ScriptRunnerSettings,
  maskSecrets,
  parseSecretPolicy,
  SecretStore,
  type Mask,
} from '@errand/platform';
import { Queues, readAttachments, type Work } from '@errand/queue';
import Docker from 'dockerode';
import { EgressProxy, parseEgressPolicy, PROXY_ENVIRONMENT, readAllowHosts } from './egress/index.js';
import { Environments, openPackageProxy } from './environments/index.js';
import { parseFolderPolicy, SharedFolders } from './files/shared-folders.js';
import type { DockerSandbox, SandboxSpec } from './sandbox/index.js';

/** The folder of the attachments of an invocation, in the folder of the script. */
const IN_FOLDER = '.in';
const MAX_CONNECTIONS = 1_000;

/** The resources that the operator grants to scripts beyond a sandbox. */
interface RunResources {
  environments: Environments;
  proxy: EgressProxy;
  secrets: SecretStore;
  folders: SharedFolders;
  /** Maximum bytes that one run may transfer over the network, in both directions together. */
  egressBytes: number;
  /** Maximum bytes of files that one run may return. */
  artifactBytes: number;
}

interface RunToPrepare {
  invocationId: string;
  toolId: string;
  tool: Tool;
  script: ScriptBundle;
  work: Work;
  /** Takes lines of the preparation and of the network, without secrets. */
  onLog: (lines: string[]) => void;
}

/** The prepared part of the sandbox's input, and the mask that hides secrets in its output. */
export interface PreparedScript {
  spec: Pick<SandboxSpec, 'bundle' | 'env' | 'image' | 'mounts' | 'connect' | 'artifactBytes'>;
  mask: Mask;
}

/**
 * Prepares the resources of a run: its dependencies, its attachments, and the parts of the tool's `securityContext` that
 * the operator allows.
 */
export class PrepareRun {
  constructor(
    private readonly queues: Queues,
    private readonly resources: RunResources,
    private readonly logger: Logger,
  ) {}

  /** @throws ToolError SecurityError if the operator does not allow a resource, DependencyError, LostError, CancelledError, ServiceError */
  async prepare(run: RunToPrepare): Promise<PreparedScript> {
    const { toolId, tool, work, script } = run;
    const { environments, secrets: store, folders, artifactBytes } = this.resources;
    const { secrets: names = [], fileAccess = {} } = tool.securityContext ?? {};
    const secrets = await store.read(toolId, names);
    const mask = maskSecrets(secrets);
    const lowered = maskSecrets(inLowerCase(secrets));
    const onLog = (lines: string[]) => run.onLog(lines.map((line) => lowered.text(mask.text(line))));
    const mounts = await folders.mountsFor(toolId, fileAccess);
    const network = this.network({ ...run, onLog });
    const attached = await this.attachments(work);
    const dependencies = await environments.prepare(script, { signal: work.signal, onLog });
    const env = { ...dependencies?.env, ...network.env, ...secrets };
    const bundle = { ...script, files: [...script.files, ...attached] };
    const image = dependencies?.image;
    const { connect } = network;
    return {
      spec: { bundle, env, mounts, artifactBytes, ...(image !== undefined && { image }), ...(connect && { connect }) },
      mask,
    };
  }

  /** Ends running installations and all connections. */
  close(): void {
    this.resources.environments.close();
    this.resources.proxy.close();
  }

  /** Installs the dependencies of a script before its first run, if it has any. */
  async prefetch(script: ScriptBundle, signal: AbortSignal): Promise<void> {
    await this.resources.environments.prepare(script, { signal, onLog: () => {} });
  }

  /** Returns nothing if the tool names no host. Its scripts have no network then. */
  private network({ invocationId, toolId, tool, work, onLog }: RunToPrepare): Pick<SandboxSpec, 'env' | 'connect'> {
    const { allowHosts = [] } = tool.securityContext?.networkAccess ?? {};
    if (allowHosts.length === 0) return {};
    const connect = this.resources.proxy.open({
      invocationId,
      toolId,
      hosts: readAllowHosts(toolId, allowHosts),
      maxBytes: this.resources.egressBytes,
      maxConnections: MAX_CONNECTIONS,
      onConnect: ({ host, port, refused, hint }) => {
        this.logger.info(
          { invocationId, tenant: work.record.tenant, toolId, host, port, refused, hint },
          refused ? 'connection refused' : 'connection',
        );
        if (refused) onLog([`[errand] ${refused}`]);
      },
    });
    return { connect, env: PROXY_ENVIRONMENT };
  }

  private async attachments({ record }: Work): Promise<ScriptBundle['files']> {
    const { attachments = [], tenant } = record;
    const contents = await readAttachments(this.queues, tenant, attachments);
    return contents.map((bytes, index) => ({
      path: `${IN_FOLDER}/${attachments[index]!.name}`,
      base64: bytes.toString('base64'),
    }));
  }
}

/** The egress proxy writes names of hosts in lower case. */
function inLowerCase(secrets: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, value.toLowerCase()]));
}

const MB = 1024 * 1024;

export function imagesOf(settings: ScriptRunnerSettings): Record<Language, string> {
  const { ERRAND_IMAGE_PYTHON: python, ERRAND_IMAGE_BUN: bun } = settings;
  return { python, bun, nodejs: bun };
}

/**
 * Opens the resources that the settings grant. The default grants nothing.
 * @throws EnvironmentError if a policy cannot be parsed
 */
export function openRunResources(settings: ScriptRunnerSettings, sandbox: DockerSandbox): RunResources {
  const [egress, secrets, folders] = [
    policy('ERRAND_EGRESS_ALLOW', () => parseEgressPolicy(settings.ERRAND_EGRESS_ALLOW ?? [])),
    policy('ERRAND_SECRETS_ALLOW', () => parseSecretPolicy(settings.ERRAND_SECRETS_ALLOW ?? [])),
    policy('ERRAND_FILES_ALLOW', () => parseFolderPolicy(settings.ERRAND_FILES_ALLOW ?? [])),
  ];
  return {
    environments: openEnvironments(settings, sandbox),
    proxy: new EgressProxy(egress),
    secrets: new SecretStore(settings.ERRAND_SECRETS_DIR, secrets),
    folders: new SharedFolders(settings.ERRAND_FILES_DIR ?? join(settings.ERRAND_DATA_DIR, 'files'), folders),
    egressBytes: settings.ERRAND_EGRESS_MAX_MB * MB,
    artifactBytes: settings.ERRAND_ARTIFACTS_MAX_MB * MB,
  };
}

function openEnvironments(settings: ScriptRunnerSettings, sandbox: DockerSandbox): Environments {
  // The installers must trust the same additional certificate authorities as this host.
  const bundle = process.env['NODE_EXTRA_CA_CERTS'];
  return new Environments({
    docker: new Docker(),
    sandbox,
    images: imagesOf(settings),
    sources: {
      pipIndexUrl: settings.ERRAND_PIP_INDEX_URL,
      npmRegistry: settings.ERRAND_NPM_REGISTRY,
      hosts: settings.ERRAND_PACKAGE_HOSTS ?? [],
      runScripts: settings.ERRAND_PACKAGE_SCRIPTS,
      ...(bundle && { authorities: readFileSync(bundle, 'utf8') }),
    },
    proxy: openPackageProxy(),
    maxBytes: settings.ERRAND_ENVIRONMENTS_MAX_MB * MB,
  });
}

function policy<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new EnvironmentError([`${name}: ${error instanceof Error ? error.message : String(error)}`]);
  }
}
