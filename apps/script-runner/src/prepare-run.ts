import type { ScriptBundle, Tool } from '@errand/contracts';
import type { Logger } from '@errand/platform';
import { Queues, readAttachments, type Work } from '@errand/queue';
import { PROXY_ENVIRONMENT, readAllowHosts, type EgressProxy } from './egress/index.js';
import type { Environments } from './environments/index.js';
import type { SharedFolders } from './files/shared-folders.js';
import type { SandboxSpec } from './sandbox/index.js';
import { maskSecrets, type Mask, type SecretStore } from './secrets/index.js';

/** Where a script finds the files that came with its invocation: beside it, out of the way of its own. */
const IN_FOLDER = '.in';
const MAX_CONNECTIONS = 1_000;

/** What the operator lets scripts have beyond a sandbox. */
export interface Provisions {
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
export interface Beginning {
  invocationId: string;
  toolId: string;
  tool: Tool;
  script: ScriptBundle;
  work: Work;
  tell: (lines: string[]) => void;
}

/** What the sandbox is told beside the input, and what hides secrets in whatever comes out of it. */
export interface Prepared {
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
    private readonly provisions: Provisions,
    private readonly logger: Logger,
  ) {}

  /** @throws ToolError SecurityError for what is not allowed, DependencyError, LostError, CancelledError, ServiceError */
  async prepare(beginning: Beginning): Promise<Prepared> {
    const { toolId, tool, work, script, tell } = beginning;
    const { environments, secrets: store, folders, artifactBytes } = this.provisions;
    const { secrets: names = [], fileAccess = {} } = tool.securityContext ?? {};
    const secrets = await store.read(toolId, names);
    const mounts = await folders.mountsFor(toolId, fileAccess);
    const network = this.network(beginning);
    const attached = await this.attachments(work);
    const dependencies = await environments.furnish(script, { signal: work.signal, onLog: tell });
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
    this.provisions.environments.close();
    this.provisions.proxy.close();
  }

  /** Has the dependencies of a script installed, if it brings any, so that its first run finds them. */
  async prefetch(script: ScriptBundle, signal: AbortSignal): Promise<void> {
    await this.provisions.environments.furnish(script, { signal, onLog: () => {} });
  }

  /** Nothing, for a tool that does not ask for any host: its scripts have no network at all. */
  private network({ invocationId, toolId, tool, tell }: Beginning): Pick<SandboxSpec, 'env' | 'connect'> {
    const { allowHosts = [] } = tool.securityContext?.networkAccess ?? {};
    if (allowHosts.length === 0) return {};
    const connect = this.provisions.proxy.admit({
      invocationId,
      toolId,
      hosts: readAllowHosts(toolId, allowHosts),
      maxBytes: this.provisions.egressBytes,
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
