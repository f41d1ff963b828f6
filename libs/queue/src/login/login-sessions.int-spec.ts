import { useQueues } from '../../test/use-queues.js';
import { keys } from '../redis/names.js';
import { digestOf, LoginSessions } from './login-sessions.js';

const IDLE_MS = 60_000;
const DAY_MS = 86_400_000;
const kit = useQueues({ each: true });
const sessions = () => new LoginSessions(kit.queues, IDLE_MS);

it('A session is found by its token in every process, with the name of its key', async () => {
  const { token, digest } = await sessions().begin('name');
  expect(await sessions().use(token)).toMatchObject({ digest, keyName: 'name' });
});

it('Redis has the digest of the token, and not the token', async () => {
  const { token } = await sessions().begin('name');
  const stored = await kit.queues.redis.get(keys.login(digestOf(token)));
  expect(stored).not.toContain(token);
  expect(await kit.queues.redis.keys('*')).not.toContainEqual(expect.stringContaining(token));
});

it('A use prolongs the life of a session', async () => {
  const { token, digest } = await sessions().begin('name');
  await kit.queues.redis.pexpire(keys.login(digest), 1_000);
  await sessions().use(token);
  expect(await kit.queues.redis.pttl(keys.login(digest))).toBeGreaterThan(1_000);
});

it('A session ends 7 days after its begin, although it is used', async () => {
  const { token, digest } = await sessions().begin('name');
  await kit.queues.redis.set(keys.login(digest), JSON.stringify({ key: 'name', at: Date.now() - 7 * DAY_MS }));
  expect(await sessions().exists(digest)).toBe(false);
  expect(await sessions().use(token)).toBeUndefined();
});

it('In its last minute, a session expires 7 days after its begin', async () => {
  const { token, digest } = await sessions().begin('name');
  const at = Date.now() - 7 * DAY_MS + 30_000;
  await kit.queues.redis.set(keys.login(digest), JSON.stringify({ key: 'name', at }));
  expect((await sessions().use(token))?.expiresAt).toBe(at + 7 * DAY_MS);
});

it('An ended session is not found any more', async () => {
  const { token, digest } = await sessions().begin('name');
  await sessions().end(digest);
  expect(await sessions().use(token)).toBeUndefined();
});

it.each(['', 'x', 'x'.repeat(43), `${'x'.repeat(42)}:`, 'x'.repeat(100_000)])(
  'A forged token finds nothing (%#)',
  async (token) => {
    expect(await sessions().use(token)).toBeUndefined();
  },
);
