import { join } from 'node:path';
import {
  connectQueues,
  NotificationHub,
  readSandboxReports,
  requestSandboxCheck,
  RunnerPresence,
  type Queues,
} from '@errand/queue';
import { CheckSandbox, readAttacks } from '../../apps/script-runner/src/escapes/index.js';
import { eventually } from '../support/eventually.js';
import { startRedis, type TestRedis } from '../support/start-redis.js';
import { describeWithDocker, RealSandbox } from './real-sandbox.js';

const ATTACKS = readAttacks(join(__dirname, 'attacks')).filter(({ file }) =>
  ['control.py', 'network.py'].includes(file),
);

describeWithDocker('The attack run that the operator requests', () => {
  const real = new RealSandbox();
  let redis: TestRedis;
  let queues: Queues;
  let notifications: NotificationHub;
  let stop: () => Promise<void>;
  let checks: CheckSandbox;
  beforeAll(async () => {
    await real.require();
    redis = await startRedis();
    queues = connectQueues(redis.url, { ageSeconds: 3_600, count: 1_000 });
    notifications = await NotificationHub.open(redis.url);
    const presence = new RunnerPresence(queues, real.runnerId, () => {});
    const logger = { info: () => {}, warn: () => {} };
    checks = new CheckSandbox(queues, notifications, real.sandbox, presence, {}, logger);
    stop = await checks.start();
  });
  afterAll(async () => {
    await stop();
    notifications.close();
    await queues.close();
    await redis.stop();
    await real.sandbox.close();
  });

  const untilDone = (isWanted: (at: string) => boolean = () => true) =>
    eventually(async () => {
      const [report] = await readSandboxReports(queues);
      return report && report.state !== 'running' && isWanted(report.at) && report;
    }, 'the attack run has ended');

  it('The runner attacks its sandbox and stores which attacks were stopped, also those that were not', async () => {
    const [first, second] = ATTACKS;
    if (!first || !second) throw new Error('the attacks are missing');
    checks.readAttacks = () => [first, { ...second, expected: { type: 'Nothing' } }];
    await requestSandboxCheck(queues);
    const report = await untilDone();
    expect(report).toMatchObject({ runner: real.runnerId, runtime: 'default', state: 'done', total: 2 });
    expect(report.attacks.map(({ name, held }) => [name, held])).toEqual([
      [first.file, true],
      [second.file, false],
    ]);
    expect(report.attacks[1]?.note).toContain('Expected: ');

    checks.readAttacks = () => {
      throw new Error('no attacks here');
    };
    await requestSandboxCheck(queues);
    expect(await untilDone((at) => at > report.at)).toMatchObject({ state: 'failed', error: 'no attacks here' });
    expect(await queues.redis.ttl(`{errand}:sandbox-report:${real.runnerId}`)).toBeGreaterThan(0);
  });
});
