import { Redis } from 'ioredis';
import { keyspaceOfShard } from '../../libs/queue/src/shards/shard-keyspace.js';

/** The primaries of the Cluster of a stack. Each has one replica, in the same order behind them. */
export const PRIMARIES = 3;

/** The nodes of the Cluster of a stack with several shards. */
export class ClusterNodes {
  readonly all: readonly Redis[];

  /** @param url that of the stack, which names all nodes */
  constructor(
    url: string,
    private readonly shards: number,
  ) {
    const ports = [...url.matchAll(/:(\d+)/g)].map(([, port]) => Number(port));
    this.all = ports.map((port) => new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: 0 }));
    for (const node of this.all) node.on('error', () => {});
  }

  /** The shards that the primary with this number has. */
  async shardsOf(primary: number): Promise<number[]> {
    const first = this.node(0);
    const ranges = await first.cluster('SLOTS');
    const own = ranges.filter(([, , server]) => server?.[1] === this.node(primary).options.port);
    const slots = await Promise.all(
      Array.from({ length: this.shards }, (_, shard) => first.cluster('KEYSLOT', keyspaceOfShard(shard))),
    );
    return slots.flatMap((slot, shard) => (own.some(([from, to]) => from <= slot && slot <= to) ? [shard] : []));
  }

  /** The hash tags of the shards that the primary with this number has. */
  async tagsOf(primary: number): Promise<string[]> {
    return (await this.shardsOf(primary)).map((shard) => keyspaceOfShard(shard).slice(1, -1)).toSorted();
  }

  /** Kills the primary with this number and its replica. The other nodes go on without their slots. */
  async lose(primary: number): Promise<void> {
    await Promise.all(this.all.map((node) => node.config('SET', 'cluster-require-full-coverage', 'no')));
    const lost = [this.node(primary + PRIMARIES), this.node(primary)];
    const infos = await Promise.all(lost.map((node) => node.info('server')));
    for (const info of infos) process.kill(Number(/process_id:(\d+)/.exec(info)?.[1]), 'SIGKILL');
  }

  private node(number: number): Redis {
    const node = this.all[number];
    if (!node) throw new Error(`The Cluster has no node ${number}`);
    return node;
  }

  close(): void {
    for (const node of this.all) node.disconnect();
  }
}
