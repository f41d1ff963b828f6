import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './eventually.js';
import { RedisProcesses, serverArguments, type RedisProcess } from './redis-processes.js';

const MASTER = 'errand';
/** After this time (ms) without an answer, Sentinels replace the primary. */
export const DOWN_AFTER_MS = 2_000;

/** A primary, its replicas and three Sentinels. */
export interface SentinelSet {
  /** `redis+sentinel://…` */
  url: string;
  servers: RedisProcess[];
  sentinels: RedisProcess[];
  /** The server that the Sentinels name now. */
  primary: () => Promise<RedisProcess>;
  /** A server that is no primary now. */
  replica: () => Promise<RedisProcess>;
  stop: () => Promise<void>;
}

/** Starts a real set and resolves when every Sentinel knows the others and the replicas. */
export async function startSentinels({
  replicas = 1,
  settings = {},
}: { replicas?: number; settings?: Record<string, string | number> } = {}): Promise<SentinelSet> {
  const processes = new RedisProcesses();
  const first = await processes.start((port, folder) => serverArguments(port, folder, settings));
  const servers = [first];
  for (let n = 0; n < replicas; n++) {
    const more = { ...settings, replicaof: `127.0.0.1 ${first.port}` };
    servers.push(await processes.start((port, folder) => serverArguments(port, folder, more)));
  }
  const sentinels: RedisProcess[] = [];
  for (let n = 0; n < 3; n++)
    sentinels.push(await processes.start((port, folder) => [configure(folder, port, first.port), '--sentinel']));
  await eventually(() => areAcquainted(sentinels, replicas), 'the Sentinels know each other and the replicas');
  const set: SentinelSet = {
    url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${MASTER}`,
    servers,
    sentinels,
    primary: async () => {
      const alive = sentinels.find(({ isAlive }) => isAlive);
      const found = (await alive?.admin.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER)) as string[];
      return servers.find(({ port }) => String(port) === found[1])!;
    },
    replica: async () => {
      const primary = await set.primary();
      return servers.find((server) => server !== primary && server.isAlive)!;
    },
    stop: () => processes.stop(),
  };
  return set;
}

function configure(folder: string, port: number, primary: number): string {
  const file = join(folder, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor ${MASTER} 127.0.0.1 ${primary} 2`,
    `sentinel down-after-milliseconds ${MASTER} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${MASTER} 10000`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

async function areAcquainted(sentinels: readonly RedisProcess[], replicas: number): Promise<boolean> {
  const infos = await Promise.all(sentinels.map(({ admin }) => admin.info('sentinel')));
  return infos.every((info) => info.includes(`slaves=${replicas},sentinels=3`));
}
