import {
  createGuardedFetch,
  EnvironmentError,
  maskSecrets,
  parseSecretPolicy,
  SecretStore,
  type WorkerSettings,
} from '@errand/platform';
import { RemoteServers, type RemoteOptions } from '@errand/mcp-client';
import { NotificationHub, Queues, RemoteListCache, RemoteLists } from '@errand/queue';
import type { Provider } from '@nestjs/common';
import { WorkerLogger } from '../worker-tokens.js';
import { ListRemoteServers } from './list-remote-servers.js';

/** The servers of `mcp.json`: their secrets, their lists and their calls. */
export function remoteProviders(settings: WorkerSettings): Provider[] {
  return [
    { provide: RemoteServers, useFactory: () => new RemoteServers(remoteOptions(settings)) },
    { provide: RemoteLists, inject: [Queues], useFactory: (queues: Queues) => new RemoteLists(queues) },
    {
      provide: RemoteListCache,
      inject: [RemoteLists, NotificationHub],
      useFactory: (lists: RemoteLists, notifications: NotificationHub) => new RemoteListCache(lists, notifications),
    },
    {
      provide: ListRemoteServers,
      inject: [RemoteServers, RemoteLists, WorkerLogger],
      useFactory: (servers: RemoteServers, lists: RemoteLists, logger: WorkerLogger) =>
        new ListRemoteServers(servers, lists, logger),
    },
  ];
}

const VERSION = '0.1.0';

function remoteOptions(settings: WorkerSettings): RemoteOptions {
  const { ERRAND_MCP_ALLOW: allow, ERRAND_MCP_COMMANDS, ERRAND_SECRETS_DIR, ERRAND_SECRETS_ALLOW } = settings;
  const secrets = new SecretStore(ERRAND_SECRETS_DIR, readPolicy(ERRAND_SECRETS_ALLOW), 'worker');
  const fetches = new Map<string, typeof globalThis.fetch>();
  return {
    // One for each pair of limits: each holds open connections.
    createFetch: (limits) => {
      const key = JSON.stringify(limits);
      const known = fetches.get(key) ?? createGuardedFetch({ allow, ...limits });
      fetches.set(key, known);
      return known;
    },
    readSecrets: (server, names) => secrets.read(`${server}:*`, names),
    maskSecrets,
    allowCommands: ERRAND_MCP_COMMANDS,
    version: VERSION,
  };
}

/** @throws EnvironmentError that names the wrong entry */
function readPolicy(entries: readonly string[] = []) {
  try {
    return parseSecretPolicy(entries);
  } catch (error) {
    throw new EnvironmentError([`ERRAND_SECRETS_ALLOW: ${error instanceof Error ? error.message : String(error)}`]);
  }
}
