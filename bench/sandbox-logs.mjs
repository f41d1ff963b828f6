/** Measures the delay of a log line of a script until it is an event of its invocation. */
import { createRequire } from 'node:module';
import { setImmediate as turn } from 'node:timers/promises';
import { startRedis } from './measure.mjs';
import { now, openSandbox, runScript } from './sandbox-runs.mjs';

const { connectQueues, EventWriter, readEvents } = createRequire(import.meta.url)('../dist/libs/queue/src/index.js');

/** Each script writes the current time every 20 ms. */
const WRITERS = {
  python: (lines) => `import sys, time
for _ in range(${lines}):
    print(time.time() * 1000, file=sys.stderr)
    time.sleep(0.02)
print(1)`,
  bun: (lines) => `for (let i = 0; i < ${lines}; i++) {
  console.error(performance.timeOrigin + performance.now());
  await Bun.sleep(20);
}
console.log(1);`,
};

/** For each line: the time from the write of the script until Redis has the event, in ms. */
export async function measureLogs(language, lines) {
  const redis = await startRedis();
  const queues = connectQueues(redis.url, { ageSeconds: 3600, count: 1000 });
  const sandbox = openSandbox();
  const events = new EventWriter(queues, 'inv_bench', (error) => console.error(error));
  const onLog = (batch) => batch.forEach((line) => events.emit({ event: 'log', line, stream: 'stderr', step: 0 }));
  const late = [];
  const over = new AbortController();
  const ended = runScript(sandbox, language, WRITERS[language](lines), { onLog }).finally(() => over.abort());
  for (let last = 0; !over.signal.aborted; await turn())
    for (const { number, event } of await readEvents(queues, 'inv_bench', last)) {
      last = number;
      late.push(now() - Number(event.line));
    }
  await ended;
  await sandbox.close();
  await queues.close();
  await redis.stop();
  return late;
}
