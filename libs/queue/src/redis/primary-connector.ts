import { createConnection, Socket } from 'node:net';
import { connect as connectByTls, type TLSSocket } from 'node:tls';
import type { RedisAddress, RedisNode } from '@errand/contracts';
import { AbstractConnector } from 'ioredis';
import { findPrimary, NoPrimaryError } from './find-primary.js';

/** The options that a connector reads. */
export interface ConnectorOptions {
  address: RedisAddress;
  /** The prefix of the keys that are used. As a hash tag, it decides which primary of a Cluster has them. */
  keyspace: string;
  disconnectTimeout: number;
}

/** Fields of INFO. They are absent if the user may not read it. */
type ServerInfo = Readonly<Record<string, string | undefined>>;

const IS_REPLICA = 'Redis is a replica and takes no writes';
const IS_SENTINEL = 'the address names a Sentinel: write it as redis+sentinel://host:port/<master>';
const HAS_NO_DATABASES = 'the address names a database, but a Redis Cluster has only database 0';

/**
 * Connects to the primary that has Errand's keys, and finds it again for each new connection. A plain address whose server turns out to
 * be a node of a Cluster is treated as the address of that Cluster. A replica is left at once, because another server may be the primary
 * by the next attempt.
 */
export class PrimaryConnector extends AbstractConnector {
  /** The server of the present or last connection. */
  node: RedisNode;
  /** Why there is no usable connection, without addresses; undefined while there is one. */
  problem: string | undefined;
  /** The random name of the server process; undefined if the user may not read it. */
  serverId: string | undefined;
  /** Of a plain address of a replica: the server that it follows. */
  upstream: RedisNode | undefined;
  /** The address can never work. */
  isMisaddressed = false;
  /** Messages to a channel stay within the nodes of its slot (SPUBLISH, SSUBSCRIBE). Undefined before the first connection. */
  hasShardedChannels: boolean | undefined;
  private readonly keyspace: string;
  private address: RedisAddress;
  private known: readonly RedisNode[];
  private isEnding = false;

  constructor(options: ConnectorOptions) {
    super(options.disconnectTimeout);
    this.address = options.address;
    this.keyspace = options.keyspace;
    this.known = options.address.nodes;
    this.node = options.address.nodes[0];
  }

  /** Several servers can be the primary, one after the other. */
  get hasSeveral(): boolean {
    return this.address.kind !== 'plain';
  }

  get isCluster(): boolean {
    return this.address.kind === 'cluster';
  }

  /** An ended socket stands for a failed search: the client then waits and connects again, as after every failed connection. */
  override async connect(): Promise<Socket | TLSSocket> {
    this.connecting = true;
    this.isEnding = false;
    try {
      this.node = await this.locate();
      this.problem = undefined;
    } catch (error) {
      this.problem = error instanceof NoPrimaryError ? error.reason : 'Redis does not answer';
      this.isMisaddressed = error instanceof NoPrimaryError && error.isMisaddressed;
      this.firstError = error as Error;
      return new Socket().destroy();
    }
    if (!this.connecting) throw new Error('Connection is closed.');
    this.stream = this.open(this.node);
    this.stream.once('error', (error: Error) => (this.firstError = error));
    return this.stream;
  }

  /** Several commands may find at the same time that the connection must end. */
  override disconnect(): void {
    if (this.isEnding) return;
    this.isEnding = true;
    super.disconnect();
  }

  /** Ends the connection without a farewell, because the server does not answer. */
  abandon(): void {
    this.stream?.destroy();
  }

  /** Whether the connected server is the primary. If not, the client connects again. */
  override check(info: ServerInfo): boolean {
    this.problem = this.problemOf(info);
    this.serverId = info['run_id'];
    const hasChannels = Number.parseInt(info['redis_version'] ?? '0', 10) >= 7;
    if (this.problem !== undefined) return false;
    this.hasShardedChannels = this.isCluster && hasChannels;
    return true;
  }

  /** The server that the Sentinels or the Cluster name now. @throws NoPrimaryError */
  async locate(): Promise<RedisNode> {
    if (this.address.kind === 'plain') return this.address.nodes[0];
    const [first, ...others] = this.known;
    try {
      const { primary, known } = await findPrimary(this.address, this.known, this.keyspace);
      this.known = known;
      return primary;
    } catch (error) {
      // Another one is asked first next time: this one may answer late.
      if (first) this.known = [...others, first];
      throw error;
    }
  }

  private problemOf(info: ServerInfo): string | undefined {
    const isPlain = this.address.kind === 'plain';
    if (isPlain && info['redis_mode'] === 'sentinel') return this.refuseAddress(IS_SENTINEL);
    if (isPlain && info['cluster_enabled'] === '1') {
      if (this.address.db !== 0) return this.refuseAddress(HAS_NO_DATABASES);
      this.address = { ...this.address, kind: 'cluster' };
      return 'Redis is a node of a Cluster; its primary is being looked for';
    }
    if (info['role'] === undefined || info['role'] === 'master') return undefined;
    if (isPlain) this.upstream = { host: info['master_host'] ?? '', port: Number(info['master_port']) };
    // The server that named this one as the primary has not seen the failover yet. Another one is asked next time.
    const [first, ...others] = this.known;
    if (first) this.known = [...others, first];
    return IS_REPLICA;
  }

  private refuseAddress(problem: string): string {
    this.isMisaddressed = true;
    return problem;
  }

  private open({ host, port }: RedisNode): Socket | TLSSocket {
    const { tls, family } = this.address;
    const target = { host, port, ...(family !== undefined && { family }) };
    return tls ? connectByTls({ ...target, ...servernameOf(host) }) : createConnection(target);
  }
}

/** TLS names a host, never an IP address. */
function servernameOf(host: string): { servername?: string } {
  return /^[\d.]+$|:/.test(host) ? {} : { servername: host };
}
