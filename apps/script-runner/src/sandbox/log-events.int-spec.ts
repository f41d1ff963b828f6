import { connectQueues, EventWriter, readEvents, type Queues } from '@errand/queue';
import { describeWithDocker, RealSandbox } from '../../../../test/escapes/real-sandbox.js';
import { until } from '../../../../test/escapes/until.js';
import { startRedis, type TestRedis } from '../../../../test/support/start-redis.js';

describeWithDocker('The log of a script as events', () => {
  const real = new RealSandbox();
  let redis: TestRedis;
  let queues: Queues;
  beforeAll(async () => {
    await real.require();
    redis = await startRedis();
    queues = connectQueues(redis.url, { ageSeconds: 3_600, count: 1_000 });
  });
  afterAll(async () => {
    await real.sandbox.close();
    await queues.close();
    await redis.stop();
  });

  it.each([
    ['python', 'import sys, time\nprint("first", file=sys.stderr)\nsys.stderr.write("half")\ntime.sleep(60)'],
    ['bun', 'console.error("first");\nprocess.stderr.write("half");\nawait Bun.sleep(60_000);'],
  ] as const)('A log line of a %s script is in Redis while the script runs', async (language, source) => {
    const id = `inv_${language}`;
    const failures: unknown[] = [];
    const events = new EventWriter(queues, id, (error) => failures.push(error));
    const ending = new AbortController();
    let isOver = false;
    const ended = real
      .attempt(language, source, {
        signal: ending.signal,
        onLog: (lines) => lines.forEach((line) => events.emit({ event: 'log', line, stream: 'stderr', step: 0 })),
      })
      .finally(() => (isOver = true));
    const told = async () => (await readEvents(queues, id)).map(({ event }) => event);
    await until('the first line is in Redis', async () => (await told()).length > 0);
    expect(isOver).toBe(false);
    // A line becomes an event when it ends. The second line does not end.
    expect(await told()).toMatchObject([{ event: 'log', line: 'first', stream: 'stderr', step: 0 }]);
    ending.abort();
    expect((await ended).error).toMatchObject({ type: 'CancelledError' });
    await events.flush();
    expect(failures).toEqual([]);
  });
});
