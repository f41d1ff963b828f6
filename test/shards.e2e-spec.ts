import { useStack } from './support/start-stack.js';
import { FeedClient } from './support/feed-client.js';
import { ClusterNodes, PRIMARIES } from './support/cluster-nodes.js';
import { eventually } from './support/eventually.js';
import { placeAmong } from '../libs/queue/src/shards/shard-layout.js';
import { shardOfId } from '../libs/queue/src/shards/shard-of-id.js';

const SHARDS = 8;
const ECHO = { toolId: 'core:echo', arguments: { value: 1 } };
const stack = useStack({ with: ['worker'], redis: 'cluster', env: { ERRAND_SHARDS: String(SHARDS) } });
const { client } = stack;
let nodes: ClusterNodes;

beforeAll(() => (nodes = new ClusterNodes(stack.redis.url, SHARDS)));
afterAll(() => nodes.close());

/** The commands of scripts and clients that each primary has executed. */
function commandsOfPrimaries(): Promise<number[]> {
  const counts = nodes.all
    .slice(0, PRIMARIES)
    .map(async (node) => Number(/total_commands_processed:(\d+)/.exec(await node.info('stats'))?.[1]));
  return Promise.all(counts);
}

/** A session or key of the tenant `default` in one of these shards. */
function nameIn(shards: readonly number[]): string {
  for (let n = 0; ; n++) if (shards.includes(Number(placeAmong(SHARDS, 'default', `name-${n}`)))) return `name-${n}`;
}

describe('Eight shards on a Cluster of six nodes', () => {
  it('The primaries share the shards and the commands evenly', async () => {
    const shards = await Promise.all(Array.from({ length: PRIMARIES }, (_, primary) => nodes.shardsOf(primary)));
    expect(shards.map(({ length }) => length).toSorted((a, b) => a - b)).toEqual([2, 3, 3]);
    const before = await commandsOfPrimaries();
    // A session decides the shard, so that each one gets as many.
    const sessions = Array.from({ length: SHARDS }, (_, shard) => nameIn([shard]));
    const items = Array.from({ length: 400 }, (_, n) => ({ ...ECHO, session: sessions[n % SHARDS] }));
    // On a busy machine, a shard may not answer in time, and the API says 503.
    const ids = await eventually(async () => {
      const { body } = await client.post<{ items?: { id: string }[] }>('/v1/invocations/batch', { items });
      return body.items?.map(({ id }) => id);
    }, 'a batch is accepted');
    expect(new Set(ids.map(shardOfId)).size).toBe(SHARDS);
    for (const id of ids) expect((await client.untilEnded(id)).status).toBe('succeeded');
    const after = await commandsOfPrimaries();
    const own = after.map((count, n) => count - (before[n] ?? 0));
    const all = own.reduce((sum, count) => sum + count, 0);
    // 25 to 42 % on a calm machine. Two of eight shards are 25 %, and on a busy machine their groups may be larger.
    for (const count of own) {
      expect(count / all).toBeGreaterThanOrEqual(0.2);
      expect(count / all).toBeLessThanOrEqual(0.45);
    }
  });

  it('Without one primary and its replica, the other shards take submissions, and lists name what is missing', async () => {
    const lost = await nodes.shardsOf(1);
    const others = [...Array(SHARDS).keys()].filter((shard) => !lost.includes(shard));
    const living = nameIn(others);
    const kept = await client.invoke({ ...ECHO, session: living });
    await nodes.lose(1);
    await eventually(async () => {
      const answers = [];
      for (let n = 0; n < 2 * SHARDS; n++) answers.push(await client.post('/v1/invocations', ECHO));
      return answers.every(({ status, body }) => status === 202 && !lost.includes(shardOfId(body.id) ?? -1));
    }, 'sixteen submissions in a row come to living shards');
    const bound = await client.post('/v1/invocations', { ...ECHO, session: nameIn(lost) });
    expect(bound).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    const keyed = (shards: number[]) => client.post('/v1/invocations', ECHO, { 'idempotency-key': nameIn(shards) });
    expect(await keyed(lost)).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect((await keyed(others)).status).toBe(202);
    expect((await client.invoke({ ...ECHO, session: living })).status).toBe('succeeded');
    expect(await client.read(kept.id)).toEqual(kept);
    const list = await client.get<{ partial: boolean; missingShards: string[] }>('/v1/invocations');
    expect(list).toMatchObject({ status: 200, body: { partial: true } });
    expect(list.body.missingShards.toSorted()).toEqual(await nodes.tagsOf(1));
    expect((await client.get<{ ready: boolean }>('/readyz')).body.ready).toBe(true);
  });

  describe('While a primary and its replica are lost', () => {
    const named = async (path: string) => {
      const missing = await nodes.tagsOf(1);
      // The circuit of a shard may still be closed for the first requests.
      await eventually(async () => {
        const { status, body } = await client.get<{ partial?: boolean; missingShards?: string[] }>(path);
        return status === 200 && body.partial && body.missingShards?.toSorted().join() === missing.join();
      }, `${path} names ${missing.join()}`);
    };

    it.each([
      '/v1/invocations?view=row',
      '/v1/invocations?count=true&status=queued',
      '/v1/invocations?updatedAfter=2020-01-01T00:00:00Z',
      '/v1/invocations/counts',
      '/v1/stats?metric=accepted&by=tool',
      '/v1/stats?metric=depth&by=queue',
      '/v1/tools/core:echo/stats',
      '/v1/inbox',
      '/v1/search?q=core',
      '/v1/search?q=inv_0',
      '/v1/queues',
      '/v1/queues/invocations',
      '/v1/processes',
      '/v1/deliveries',
      '/v1/effects',
    ])('GET %s answers without the lost shards, and names them', named);

    it('Refusals, whose recoveries may be in a lost shard, name the lost shards', async () => {
      const wrong = { toolId: 'core:math', arguments: { op: 'ad' }, session: nameIn(await nodes.shardsOf(0)) };
      expect((await client.post('/v1/invocations', wrong)).status).toBe(422);
      await named('/v1/refusals');
      await named('/v1/refusals/summary?by=tool');
    });

    it('The feed sends what changes in the living shards', async () => {
      const feed = await FeedClient.open(stack.url, '?topics=invocations,queues');
      try {
        await eventually(async () => {
          const { id } = (await client.post<{ id: string }>('/v1/invocations', ECHO)).body;
          return feed.dataOf('invocation').some((row) => row['id'] === id || row['status'] === 'succeeded');
        }, 'a row of a living shard is sent');
        await eventually(
          async () => feed.dataOf('queue').some((queue) => queue['partial'] === true),
          'a queue is partial',
        );
      } finally {
        feed.close();
      }
    });
  });
});
