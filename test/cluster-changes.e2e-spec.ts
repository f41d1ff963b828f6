import { keyspaceOfShard } from '../libs/queue/src/shards/shard-keyspace.js';
import { shardOfId } from '../libs/queue/src/shards/shard-of-id.js';
import { eventually } from './support/eventually.js';
import { useStack } from './support/start-stack.js';
import type { RedisCluster } from './support/start-cluster.js';
import { SteadyLoad } from './support/steady-load.js';

const SHARDS = 8;
const ALL = Array.from({ length: SHARDS }, (_, shard) => shard);
const ECHO = { toolId: 'core:echo', arguments: { value: 1 } };
const CHAIN = {
  nodes: [
    { id: 'a', type: 'core:echo', inputValues: { value: 1 } },
    { id: 'b', type: 'core:echo' },
    { id: 'out', type: 'core:GroupOutput' },
  ],
  edges: [
    { source: 'a', sourceHandle: 'value', target: 'b', targetHandle: 'value' },
    { source: 'b', sourceHandle: 'value', target: 'out', targetHandle: 'value' },
  ],
  interfaceOutputs: { value: { dataFlowType: 'WILDCARD' } },
};
const BODIES = [
  ECHO,
  { toolId: 'workflow:chain', arguments: {} },
  { ...ECHO, options: { delayMs: 200 } },
  { calls: [ECHO, { toolId: 'core:delay', arguments: { ms: 50 } }, ECHO] },
];

const stack = useStack({
  with: ['worker'],
  redis: 'cluster',
  library: { 'workflows/chain.json': CHAIN },
  env: { ERRAND_SHARDS: String(SHARDS), ERRAND_REDIS_MIN_REPLICAS: '1' },
});
const { client } = stack;
let cluster: RedisCluster;
let load: SteadyLoad;
beforeAll(() => (cluster = stack.redis.cluster!));
beforeEach(() => (load = new SteadyLoad(client, BODIES)));
afterEach(() => load.end());

/** Each accepted invocation ends as it should, is on the list once, and is found by its key. */
async function expectAll(): Promise<void> {
  for (const { id } of load.accepted) expect(await client.untilEnded(id)).toMatchObject({ status: 'succeeded', id });
  const listed: string[] = [];
  for (let cursor = ''; ;) {
    const { body } = await client.get<{ items: { id: string }[]; nextCursor: string | null }>(
      `/v1/invocations?limit=100${cursor}`,
    );
    listed.push(...body.items.map(({ id }) => id));
    if (body.nextCursor === null) break;
    cursor = `&cursor=${body.nextCursor}`;
  }
  const ids = load.accepted.map(({ id }) => id);
  expect(new Set(listed).size).toBe(listed.length);
  expect(ids.filter((id) => !listed.includes(id))).toEqual([]);
  for (const { body, key, id } of load.accepted.slice(-20))
    expect((await client.post('/v1/invocations', body, { 'idempotency-key': key })).body.id).toBe(id);
}

/** So many more submissions are accepted in each of these shards. */
async function untilMoreIn(shards: readonly number[], count: number): Promise<void> {
  const seen = load.accepted.length;
  await eventually(
    () => {
      const fresh = load.accepted.slice(seen).map(({ id }) => shardOfId(id));
      return shards.every((shard) => fresh.filter((one) => one === shard).length >= count);
    },
    `the shards ${shards.join(', ')} take submissions`,
  );
}

describe('Eight shards on a Cluster under load', () => {
  it('A slot that moves to another primary loses nothing, and the other shards go on meanwhile', async () => {
    const moving = 3;
    await untilMoreIn(ALL, 2);
    const others = ALL.filter((shard) => shard !== moving);
    const [before] = await cluster.serversOf(keyspaceOfShard(moving));
    await cluster.moveSlot(keyspaceOfShard(moving), () => untilMoreIn(others, 1));
    const [after] = await cluster.serversOf(keyspaceOfShard(moving));
    expect(after).not.toBe(before);
    await untilMoreIn(ALL, 2);
    await load.end();
    await expectAll();
  });

  it('A primary that is killed loses nothing that was acknowledged, and the other shards go on meanwhile', async () => {
    await Promise.all(cluster.nodes.map(({ admin }) => admin.config('SET', 'cluster-require-full-coverage', 'no')));
    const victim = await cluster.stranger();
    const owners = await Promise.all(ALL.map(async (shard) => (await cluster.serversOf(keyspaceOfShard(shard)))[0]));
    const lost = ALL.filter((shard) => owners[shard] === victim);
    const living = ALL.filter((shard) => owners[shard] !== victim);
    expect(lost).not.toEqual([]);
    await untilMoreIn(ALL, 2);
    await victim.kill();
    await untilMoreIn(living, 2);
    // A server without a file would come back as an empty primary.
    const tag = keyspaceOfShard(lost[0]!);
    await eventually(async () => (await cluster.serversOf(tag))[0] !== victim, 'the replica is the primary');
    await victim.restart();
    await untilMoreIn(ALL, 2);
    await load.end();
    await expectAll();
  });
});
