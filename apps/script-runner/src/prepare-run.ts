import type { ScriptBundle, Tool, Language } from '@errand/contracts';
import { type Logger, EnvironmentError, type ScriptRunnerSettings } from '@errand/platform';
import { Queues, readAttachments, type Work } from '@errand/queue';
import { PROXY_ENVIRONMENT, readAllowHosts, EgressProxy, parseEgressPolicy } from './egress/index.js';
import { Environments, openPackageProxy } from './environments/index.js';
import { SharedFolders, parseFolderPolicy } from './files/shared-folders.js';
import type { SandboxSpec, DockerSandbox } from './sandbox/index.js';
import { maskSecrets, type Mask, SecretStore, parseSecretPolicy } from './secrets/index.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Docker from 'dockerode';

/** Where a script finds the files that came with its invocation: beside it, out of the way of its own. */
const IN_FOLDER = '.in';
const MAX_CONNECTIONS = 1_000;

/** What the operator lets scripts have beyond a sandbox. */
export interface RunResources {
  environments: Environments;
  proxy: EgressProxy;
  secrets: SecretStore;
  folders: SharedFolders;
  /** The most that one run may move over the network, both ways together. */
  egressBytes: number;
  /** The most that one run may hand out in files. */
  artifactBytes: number;
}

/** One run that is about to begin. */
export interface RunToPrepare {
  invocationId: string;
  toolId: string;
  tool: Tool;
  script: ScriptBundle;
  work: Work;
  tell: (lines: string[]) => void;
}

/** What the sandbox is told beside the input, and what hides secrets in whatever comes out of it. */
export interface PreparedScript {
  spec: Pick<SandboxSpec, 'bundle' | 'env' | 'image' | 'mounts' | 'connect' | 'artifactBytes'>;
  mask: Mask;
}

/**
 * Gets together what a script needs beyond a bare sandbox: what its tool asks for in `securityContext`, as far as the operator allows
 * it, its dependencies, and the files that came with the invocation.
 */
export class PrepareRun {
  constructor(
    private readonly queues: Queues,
    private readonly resources: RunResources,
    private readonly logger: Logger,
  ) {}

  /** @throws ToolError SecurityError for what is not allowed, DependencyError, LostError, CancelledError, ServiceError */
  async prepare(beginning: RunToPrepare): Promise<PreparedScript> {
    const { toolId, tool, work, script, tell } = beginning;
    const { environments, secrets: store, folders, artifactBytes } = this.resources;
    const { secrets: names = [], fileAccess = {} } = tool.securityContext ?? {};
    const secrets = await store.read(toolId, names);
    const mounts = await folders.mountsFor(toolId, fileAccess);
    const network = this.network(beginning);
    const attached = await this.attachments(work);
    const dependencies = await environments.prepare(script, { signal: work.signal, onLog: tell });
    const env = { ...dependencies?.env, ...network.env, ...secrets };
    const bundle = { ...script, files: [...script.files, ...attached] };
    const image = dependencies?.image;
    const { connect } = network;
    return {
      spec: { bundle, env, mounts, artifactBytes, ...(image !== undefined && { image }), ...(connect && { connect }) },
      mask: maskSecrets(secrets),
    };
  }

  /** Ends what is being installed, and all connections. */
  close(): void {
    this.resources.environments.close();
    this.resources.proxy.close();
  }

  /** Has the dependencies of a script installed, if it brings any, so that its first run finds them. */
  async prefetch(script: ScriptBundle, signal: AbortSignal): Promise<void> {
    await this.resources.environments.prepare(script, { signal, onLog: () => {} });
  }

  /** Nothing, for a tool that does not ask for any host: its scripts have no network at all. */
  private network({ invocationId, toolId, tool, tell }: RunToPrepare): Pick<SandboxSpec, 'env' | 'connect'> {
    const { allowHosts = [] } = tool.securityContext?.networkAccess ?? {};
    if (allowHosts.length === 0) return {};
    const connect = this.resources.proxy.admit({
      invocationId,
      toolId,
      hosts: readAllowHosts(toolId, allowHosts),
      maxBytes: this.resources.egressBytes,
      maxConnections: MAX_CONNECTIONS,
      onConnect: ({ host, port, refused, hint }) => {
        this.logger.info(
          { invocationId, toolId, host, port, refused, hint },
          refused ? 'connection refused' : 'connection',
        );
        if (refused) tell([`[errand] ${refused}`]);
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

const MB = 1024 * 1024;

export function imagesOf(settings: ScriptRunnerSettings): Record<Language, string> {
  const { ERRAND_IMAGE_PYTHON: python, ERRAND_IMAGE_BUN: bun } = settings;
  return { python, bun, nodejs: bun };
}

/**
 * What the settings let scripts have beyond a sandbox; by default nothing.
 * @throws EnvironmentError where a policy cannot be read: it is not guessed at
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
  // Where this host trusts authorities of its own, so must what installs packages for it.
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
