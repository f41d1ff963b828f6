import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../../test/support/eventually.js';
import { startCluster, type RedisCluster } from '../../../../test/support/start-cluster.js';
import { startSentinels, type SentinelSet } from '../../../../test/support/start-sentinels.js';
import { ChannelSubscriber, publishCommand } from './channels.js';
import { loadScript } from './lua-script.js';
import { keys } from './names.js';
import { openConnection, type PrimaryRedis } from './primary-redis.js';

const file = join(mkdtempSync(join(tmpdir(), 'errand-script-')), 'publish.lua');
writeFileSync(file, "redis.call('INCR', KEYS[1])\nredis.call('PUBLISH', '${notifications}', ARGV[1])\n");
const PUBLISH = loadScript<null>(file);
/** Like every script of Errand, it needs the primary of its keys. */
const KEYS = ['{errand}:published'];

let set: SentinelSet;
let cluster: RedisCluster;
let closing: (() => void)[] = [];
beforeAll(async () => {
  [set, cluster] = await Promise.all([startSentinels(), startCluster()]);
});
afterEach(() => closing.splice(0).forEach((close) => close()));
afterAll(async () => {
  await Promise.all([set.stop(), cluster.stop()]);
});

/** A subscriber and a publisher, and the messages that have arrived. */
async function open(url: string): Promise<{ publisher: PrimaryRedis; heard: string[] }> {
  const heard: string[] = [];
  const subscriber = new ChannelSubscriber(url, [keys.notifications], {
    message: (message) => heard.push(message),
    subscribed: () => {},
    error: (error) => heard.push(error.message),
  });
  const publisher = openConnection(url, 'patient');
  closing = [...closing, () => subscriber.close(), () => publisher.disconnect()];
  await subscriber.ready();
  return { publisher, heard };
}

describe('The messages of a channel', () => {
  it.each([
    ['Sentinels', () => set.url, 'publish'],
    ['a Cluster', () => cluster.url, 'spublish'],
    ['a node of a Cluster', () => `redis://127.0.0.1:${cluster.nodes[5]?.port}`, 'spublish'],
  ])('The messages of scripts, commands and pipelines arrive over %s', async (_name, urlOf, command) => {
    const { publisher, heard } = await open(urlOf());
    // The first script is sent before the connection is ready.
    await PUBLISH.run(publisher, KEYS, ['script']);
    const publish = await publishCommand(publisher);
    await publisher[publish](keys.notifications, 'command');
    await publisher.pipeline()[publish](keys.notifications, 'pipeline').exec();
    await eventually(() => heard.length === 3);
    expect(heard).toEqual(['script', 'command', 'pipeline']);
    expect(publish).toBe(command);
  });

  it('The messages stay in the shard that has the keys', async () => {
    await open(cluster.url);
    const channels = (node: RedisCluster['nodes'][number]) => node.admin.call('PUBSUB', 'SHARDCHANNELS');
    expect(await channels(await cluster.owner())).toEqual([keys.notifications]);
    expect(await channels(await cluster.stranger())).toEqual([]);
  });

  it.each([
    ['Sentinels', () => set.url, async () => (await set.primary()).kill()],
    ['a Cluster', () => cluster.url, async () => (await cluster.owner()).kill()],
    ['a Cluster after a manual failover', () => cluster.url, promoteReplica],
  ])('Messages arrive again after the primary of %s was replaced', async (_name, urlOf, replace) => {
    const { publisher, heard } = await open(urlOf());
    const { port } = publisher.primary.node;
    await replace();
    await eventually(async () => {
      await PUBLISH.run(publisher, KEYS, ['again']);
      return heard.includes('again') && publisher.primary.node.port !== port;
    });
    const { length } = heard;
    await PUBLISH.run(publisher, KEYS, ['last']);
    await eventually(() => heard.slice(length).includes('last'));
    for (const node of [...cluster.nodes, ...set.servers]) if (!node.isAlive) await node.restart();
  });
});

async function promoteReplica(): Promise<void> {
  const replica = await eventually(async () => {
    const found = await cluster.replica();
    return (await found.admin.info('replication')).includes('master_link_status:up') && found;
  });
  // Without an election, which the death of another primary just before could delay.
  await replica.admin.cluster('FAILOVER', 'TAKEOVER');
}
