import { eventually } from '../../../../test/support/eventually.js';
import { startRedis, type TestRedis } from '../../../../test/support/start-redis.js';
import { SilentProxy } from '../../test/silent-proxy.js';
import { BlockingWait } from './blocking-wait.js';
import { openConnection, type PrimaryRedis } from './primary-redis.js';

const KEY = '{errand}:marker';
let redis: TestRedis;
let proxy: SilentProxy;
let writer: PrimaryRedis;
let wait: BlockingWait;
beforeEach(async () => {
  redis = await startRedis();
  proxy = await SilentProxy.start(redis.url);
  writer = openConnection(redis.url, 'patient');
  wait = new BlockingWait(() => openConnection(proxy.url, 'blocking'));
});
afterEach(async () => {
  wait.close();
  writer.disconnect();
  proxy.close();
  await redis.stop();
});

describe('The wait of a consumer', () => {
  it('A wait ends with the member that comes, or without one at its time', async () => {
    const waiting = wait.waitFor(KEY, 10);
    await writer.zadd(KEY, 5, 'a');
    expect(await waiting).toEqual({ member: 'a', score: 5 });
    expect(await wait.waitFor(KEY, 0.01)).toBeUndefined();
    expect(proxy.connections).toBe(1);
  });

  it('A wait on a silent connection ends shortly after its time, and the next one opens a new connection', async () => {
    expect(await wait.waitFor(KEY, 0.01)).toBeUndefined();
    proxy.silence();
    await writer.zadd(KEY, 7, 'b');
    expect(await wait.waitFor(KEY, 0.01)).toBeUndefined();
    expect(await wait.waitFor(KEY, 60)).toEqual({ member: 'b', score: 7 });
    expect(proxy.connections).toBe(2);
  });

  it('A wait ends when its connection closes, and later ones work after a restart of Redis', async () => {
    expect(await wait.waitFor(KEY, 0.01)).toBeUndefined();
    const waiting = wait.waitFor(KEY, 3_600);
    await redis.kill();
    expect(await waiting).toBeUndefined();
    await redis.restart();
    await writer.zadd(KEY, 9, 'c');
    expect(await eventually(() => wait.waitFor(KEY, 1))).toEqual({ member: 'c', score: 9 });
  });

  it('A closed wait ends at once and waits no more', async () => {
    const waiting = wait.waitFor(KEY, 3_600);
    wait.close();
    expect(await waiting).toBeUndefined();
    expect(await wait.waitFor(KEY, 3_600)).toBeUndefined();
  });
});
