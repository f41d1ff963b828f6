import { digestOf, type Definition } from '@errand/contracts';
import { createLogger } from '@errand/platform';
import { connectQueues, Definitions, wantEnvironments, NotificationHub, type Queues } from '@errand/queue';
import { startRedis, type TestRedis } from '../../../test/support/start-redis.js';
import { PrefetchDependencies } from './prefetch-dependencies.js';

let redis: TestRedis;
let queues: Queues;
let notifications: NotificationHub;
let definitions: Definitions;

beforeAll(async () => {
  redis = await startRedis();
  queues = connectQueues(redis.url, { ageSeconds: 3_600, count: 100 });
  notifications = await NotificationHub.open(redis.url);
  definitions = new Definitions(queues);
});
afterAll(async () => {
  notifications.close();
  await queues.close();
  await redis.stop();
});

/** Stores a tool whose script has dependencies, and requests its environment. */
async function want(entry: string, runner?: string): Promise<void> {
  const tool = { toolId: `test:${entry}`, ...(runner !== undefined && { runner }) } as Definition['tool'];
  const definition: Definition = { tool, script: { language: 'python', entry, files: [] } };
  const digest = digestOf(definition);
  await definitions.put([{ digest, definition }]);
  await wantEnvironments(queues, [digest]);
}

function signalled() {
  let tell = () => {};
  const told = new Promise<void>((resolve) => (tell = resolve));
  return { tell, told };
}

/**
 * The entries that a runner with these labels installs, until it has installed `last`. `last` is requested after the
 * first installation began.
 */
async function installedBy(offers: string[], last: string): Promise<string[]> {
  const installed: string[] = [];
  const [begun, ended] = [signalled(), signalled()];
  const prefetch = async ({ entry }: { entry: string }) => {
    installed.push(entry);
    begun.tell();
    if (entry === last) ended.tell();
  };
  const quiet = createLogger('test', 'fatal');
  const settings = { ERRAND_RUNNER_LABELS: offers };
  const stop = new PrefetchDependencies(queues, notifications, definitions, { prefetch }, settings, quiet).start();
  await begun.told;
  await want(last, offers.at(-1));
  await ended.told;
  await stop();
  return installed.toSorted();
}

it('A runner installs only the dependencies of scripts with its labels', async () => {
  await want('plain');
  await want('also-plain', 'default');
  await want('gpu', 'gpu');
  await want('big', 'big-memory');
  expect(await installedBy(['default'], 'z-default')).toEqual(['also-plain', 'plain', 'z-default']);
  expect(await installedBy(['default', 'gpu'], 'z-gpu')).toEqual(['also-plain', 'gpu', 'plain', 'z-default', 'z-gpu']);
  expect(await installedBy(['big-memory'], 'z-big')).toEqual(['big', 'z-big']);
});
