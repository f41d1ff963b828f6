import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agreeOnLayout, connectQueues, openShards, type Queues } from '@errand/queue';
import { Redis } from 'ioredis';
import { startApi } from '../../apps/api/src/start.js';
import { Client } from './client.js';
import { PATIENCE_MS } from './eventually.js';
import { Processes } from './start-process.js';
import { KIND_OF_TESTS, SHARDS_OF_TESTS, startRedisOf, type RedisKind } from './redis-kinds.js';
import type { TestRedis } from './start-redis.js';
import { writeFiles, type Files } from './write-files.js';

/** The parts that can run in the process of the test beside the API. They are imported on demand. */
const PARTS = {
  worker: async () => (await import('../../apps/worker/src/start.js')).startWorker,
  'script-runner': async () => (await import('../../apps/script-runner/src/start.js')).startScriptRunner,
};
type Part = keyof typeof PARTS;

/** A resource that is closed with the stack. */
interface Closing {
  close(): unknown;
}

/** On a busy machine, a reply of Redis may wait long for its turn. With several servers, a failover needs the usual limit. */
const REPLY_MS = '60000';

export const EXAMPLES = join(__dirname, '../../examples');

export interface StackOptions {
  /** The parts that run in the process of the test beside the API. */
  with?: readonly Part[];
  /** The files of a library, by path. Default: the examples are the library. */
  library?: Files;
  /** Loads the examples before that library. */
  examples?: boolean;
  /** Settings of every process. */
  env?: Readonly<Record<string, string>>;
  /** Redis stores every acknowledged write in a file, so that it can be restarted. */
  persistent?: boolean;
  /** The servers behind ERRAND_REDIS_URL. */
  redis?: RedisKind;
}

/** A Redis, an API and the parts that a test needs. */
export class Stack {
  redis!: TestRedis;
  url!: string;
  /** A temporary folder with `data`, `library` and the files of the test. */
  folder!: string;
  /** The environment of every process of this stack. */
  env!: Record<string, string>;
  readonly client = new Client(() => this.url);
  private readonly kept: Closing[] = [];
  private ownProcesses: Processes | undefined;

  constructor(private readonly options: StackOptions) {}

  async open(): Promise<void> {
    const { library, examples = !library, persistent = false, env, redis = KIND_OF_TESTS } = this.options;
    this.folder = await mkdtemp(join(tmpdir(), 'errand-stack-'));
    const own = join(this.folder, 'library');
    if (library) writeFiles(own, library);
    this.redis = await startRedisOf(redis, { persistent });
    this.env = {
      ERRAND_REDIS_URL: this.redis.url,
      ERRAND_DATA_DIR: join(this.folder, 'data'),
      ERRAND_LIBRARY: [...(examples ? [EXAMPLES] : []), ...(library ? [own] : [])].join(':'),
      ...(redis === 'plain' && { ERRAND_REDIS_REPLY_MS: REPLY_MS }),
      ...(SHARDS_OF_TESTS !== undefined && { ERRAND_SHARDS: SHARDS_OF_TESTS }),
      ...env,
    };
    this.url = await this.startApi();
    for (const part of this.options.with ?? []) await this.start(part);
  }

  /** Starts another API. @returns its address */
  async startApi(env: Record<string, string> = {}): Promise<string> {
    return this.keep(await startApi({ ...this.settings(env), ERRAND_PORT: '0' })).url;
  }

  /** Starts a part in this process. */
  async start(part: Part, env: Record<string, string> = {}): Promise<void> {
    const start = await PARTS[part]();
    this.keep(await start(this.settings(env)));
  }

  /** Closes the part with the stack: the last one first, Redis at the end. */
  keep<T extends Closing>(part: T): T {
    this.kept.push(part);
    return part;
  }

  /** The queues of this stack in all its shards, for a test that works beside the processes. They close with the stack. */
  async openQueues(): Promise<Queues> {
    const queues = connectQueues(this.redis.url, { ageSeconds: 3_600, count: 1_000 });
    queues.redis.options.commandTimeout = PATIENCE_MS;
    openShards(this.redis.url, 'commands', queues, await agreeOnLayout(this.redis.url, undefined));
    const close = async () => {
      await queues.shards?.close();
      await queues.close();
    };
    this.keep({ close });
    return queues;
  }

  /** What `ask` returns for each server that takes writes: the only one, or each primary of a Cluster. */
  async askServers<T>(ask: (redis: Redis) => Promise<T>): Promise<T[]> {
    const { cluster, port } = this.redis;
    const ports = cluster ? (await cluster.primaries()).map((server) => server.port) : [port];
    return Promise.all(
      ports.map(async (each) => {
        const redis = new Redis({ host: '127.0.0.1', port: each });
        return ask(redis).finally(() => redis.disconnect());
      }),
    );
  }

  /** Real processes of this stack, which a test may kill. They end with the test. */
  get processes(): Processes {
    return (this.ownProcesses ??= new Processes(this.env));
  }

  async endProcesses(): Promise<void> {
    await this.ownProcesses?.endAll();
  }

  async close(): Promise<void> {
    for (const part of this.kept.splice(0).toReversed()) await part.close();
    await this.redis.stop();
    this.ownProcesses = undefined;
    await rm(this.folder, { recursive: true, force: true });
  }

  private settings(env: Record<string, string>): Record<string, string> {
    return { ...this.env, ERRAND_LOG_LEVEL: 'fatal', ...env };
  }
}

/**
 * A stack for the tests of the surrounding block, or with `each` a new one for each test. With `keepsProcesses`, its processes live until the
 * stack closes, and a test takes those that it needs by `processes.haveRunning`.
 */
export function useStack(options: StackOptions = {}, { each = false, keepsProcesses = false } = {}): Stack {
  const stack = new Stack(options);
  (each ? beforeEach : beforeAll)(() => stack.open());
  (keepsProcesses ? afterAll : afterEach)(() => stack.endProcesses());
  (each ? afterEach : afterAll)(() => stack.close());
  return stack;
}
