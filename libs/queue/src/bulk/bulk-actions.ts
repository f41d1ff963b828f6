import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { BulkAction, BulkKind, BulkState, JsonObject, ProblemCode } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import type { InvocationQuery } from '../state/plan-walk.js';

/** What a dry run has found, and what its action does. */
export interface BulkPlan {
  action: BulkKind;
  /** The conditions of the request, and those that bind it to the moment of the dry run. */
  sought: InvocationQuery;
  /** The invocations that the request names. Without them, `sought` finds them. */
  ids?: readonly string[];
  /** The filter of the request, to be shown. */
  filter: JsonObject | null;
  matched: number;
  /** ms since 1970 */
  asOf: number;
}

/** A bulk action that this process works on. */
export interface TakenBulk {
  tenant: string;
  id: string;
  plan: BulkPlan;
  /** Where the next part begins. Absent at the beginning. */
  position?: string;
  /** The part that a process has begun and not ended. */
  begun?: BulkPart;
  lease: string;
}

/** The invocations of one part of a bulk action, and where the next part begins. Without `next`, it is the last one. */
export interface BulkPart {
  ids: readonly string[];
  next?: string;
}

/** The outcome of one part of a bulk action. */
export interface BulkProgress {
  done: number;
  skipped: number;
  failed: { id: string; code: ProblemCode }[];
  /** Where the next part begins. Absent at the end. */
  next?: string;
}

/** How long a token works. */
export const BULK_TOKEN_MS = 600_000;
/** How many bulk actions of a tenant may run. */
export const MOST_OPEN_BULKS = 5;
/** How many bulk actions of a tenant, and failures of one, are kept. */
const MOST_KEPT = 1_000;
const KEPT_SECONDS = 7 * 86_400;
/** How soon another process takes over from one that was killed. */
const LEASE_MS = 5_000;

const BEGIN = loadScript<string>(join(__dirname, 'begin-bulk.lua'));
const TAKE = loadScript<string | null>(join(__dirname, 'take-bulk.lua'));
const COMMIT = loadScript<BulkState | 'lost'>(join(__dirname, 'commit-bulk.lua'));
const ABORT = loadScript<BulkState | null>(join(__dirname, 'abort-bulk.lua'));
const RENEW = loadScript<0 | 1>(join(__dirname, 'renew-bulk.lua'));

/**
 * The bulk actions of all tenants, in the keyspace `{errand}`. They are in Redis alone, so that they survive restarts: any process takes the
 * next part of one.
 */
export class BulkActions {
  constructor(private readonly queues: Queues) {}

  /** Stores a dry run. @returns its token, which works once and for `BULK_TOKEN_MS` */
  async prepare(tenant: string, plan: BulkPlan): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    await this.redis.set(this.tokenKey(tenant, token), JSON.stringify(plan), 'PX', BULK_TOKEN_MS);
    return token;
  }

  /** Begins the action of a dry run. @returns its id, or why it did not begin */
  async begin(
    tenant: string,
    token: string,
    { by, name }: { by: string; name?: string | undefined },
  ): Promise<{ id: string } | 'unknown' | 'used' | 'busy'> {
    const { keys } = this;
    const now = Date.now();
    const id = `blk_${now.toString(36)}${randomBytes(12).toString('hex')}`;
    const bulk = nameOf(tenant, id);
    const reply = await BEGIN.run(
      this.redis,
      [this.tokenKey(tenant, token), keys.bulk(bulk), keys.bulks(tenant), keys.bulksOpen(tenant), keys.bulkQueue],
      [
        now,
        id,
        KEPT_SECONDS,
        MOST_OPEN_BULKS,
        MOST_KEPT,
        bulk,
        'by',
        by,
        ...(name === undefined ? [] : ['name', name]),
      ],
    );
    return reply === 'unknown' || reply === 'used' || reply === 'busy' ? reply : { id };
  }

  /** A bulk action; undefined if the tenant has none with this id. */
  async read(tenant: string, id: string): Promise<BulkAction | undefined> {
    const bulk = nameOf(tenant, id);
    const [fields, failed] = await Promise.all([
      this.redis.hgetall(this.keys.bulk(bulk)),
      this.redis.lrange(this.keys.bulkFailed(bulk), 0, -1),
    ]);
    return fields['plan'] === undefined ? undefined : toAction(id, fields, failed);
  }

  /** The bulk actions of a tenant, newest first. @param after the id behind which the page begins */
  async list(tenant: string, limit: number, after?: string): Promise<{ items: BulkAction[]; next?: string }> {
    const set = this.keys.bulks(tenant);
    const rank = after === undefined ? -1 : await this.redis.zrevrank(set, after);
    if (rank === null) return { items: [] };
    const ids = await this.redis.zrevrange(set, rank + 1, rank + limit + 1);
    const shown = ids.slice(0, limit);
    const read = await Promise.all(shown.map((id) => this.read(tenant, id)));
    const last = shown.at(-1);
    return {
      items: read.filter((action) => action !== undefined),
      ...(ids.length > limit && last !== undefined && { next: last }),
    };
  }

  /** Stops a bulk action. @returns its state before; undefined if the tenant has none with this id */
  async abort(tenant: string, id: string): Promise<BulkState | undefined> {
    const bulk = nameOf(tenant, id);
    const names = [this.keys.bulk(bulk), this.keys.bulksOpen(tenant), this.keys.bulkQueue];
    return (await ABORT.run(this.redis, names, [Date.now(), id, bulk])) ?? undefined;
  }

  /** Takes the action whose turn it is. Undefined if none is due. */
  async take(): Promise<TakenBulk | undefined> {
    for (;;) {
      const lease = randomUUID();
      const bulk = await TAKE.run(this.redis, [this.keys.bulkQueue], [Date.now(), LEASE_MS, lease]);
      if (bulk === null) return undefined;
      const fields = bulk === '' ? [] : await this.redis.hmget(this.keys.bulk(bulk), 'plan', 'position', 'begun');
      const [plan, position, begun] = fields;
      if (plan == null) continue;
      const [tenant = '', id = ''] = bulk.split(':');
      const from = { ...(position && { position }), ...(begun && { begun: JSON.parse(begun) as BulkPart }) };
      return { tenant, id, plan: JSON.parse(plan) as BulkPlan, lease, ...from };
    }
  }

  /**
   * Keeps the lease of an action. False if the action was stopped, or another process has it.
   * @param begun the part that this process begins now. After a crash, its invocations may not match the filter any more
   */
  async renew({ tenant, id, lease }: TakenBulk, begun?: BulkPart): Promise<boolean> {
    const bulk = nameOf(tenant, id);
    const names = [this.keys.bulk(bulk), this.keys.bulkQueue];
    const part = begun ? JSON.stringify(begun) : '';
    return (await RENEW.run(this.redis, names, [lease, bulk, Date.now() + LEASE_MS, part])) === 1;
  }

  /** How often a lease must be renewed, in ms. */
  readonly renewMs = LEASE_MS / 5;

  /** Stores the progress of a part. Any process may take the next part after `pauseMs`. */
  async commit({ tenant, id, lease }: TakenBulk, progress: BulkProgress, pauseMs = 0): Promise<void> {
    const { keys } = this;
    const bulk = nameOf(tenant, id);
    const now = Date.now();
    const { done, skipped, failed, next } = progress;
    const counts = [KEPT_SECONDS, now + pauseMs, done, skipped, MOST_KEPT, next ?? '', next === undefined ? 1 : 0];
    const failures = failed.map((failure) => JSON.stringify(failure));
    await COMMIT.run(
      this.redis,
      [keys.bulk(bulk), keys.bulkFailed(bulk), keys.bulksOpen(tenant), keys.bulkQueue, keys.bulks(tenant)],
      [now, lease, id, bulk, ...counts, ...failures],
    );
  }

  private get redis() {
    return this.queues.redis;
  }

  private get keys() {
    return keysOf(this.redis);
  }

  private tokenKey(tenant: string, token: string): string {
    return this.keys.bulkToken(tenant, createHash('sha256').update(token).digest('hex'));
  }
}

/** No tenant has a colon in its name. */
function nameOf(tenant: string, id: string): string {
  return `${tenant}:${id}`;
}

function toAction(id: string, fields: Record<string, string>, failed: readonly string[]): BulkAction {
  const { action, filter, asOf, matched } = JSON.parse(fields['plan'] ?? '') as BulkPlan;
  return {
    id,
    action,
    name: fields['name'] ?? null,
    filter,
    asOf: isoTime(asOf),
    by: fields['by'] ?? '',
    startedAt: isoTime(Number(fields['startedAt'])),
    finishedAt: fields['finishedAt'] === undefined ? null : isoTime(Number(fields['finishedAt'])),
    state: fields['state'] as BulkState,
    matched,
    done: Number(fields['done']),
    skipped: Number(fields['skipped']),
    failed: failed.map((text) => JSON.parse(text) as BulkAction['failed'][number]),
    failedCount: Number(fields['failures']),
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
