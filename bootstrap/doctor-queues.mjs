import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { build } from './needs/compiled-code.mjs';
import { bad, good, heading, say } from './report.mjs';
import { DATA_DIR, ROOT } from './settings.mjs';
import { SetupError } from './setup-error.mjs';

/** `./errand doctor --queues`: prints what waits in each queue, and corrects the rings of waiting jobs. Exit code 1 without an answer. */
export async function doctorQueues() {
  if (!(await build.check())) {
    bad(build.title, new SetupError('missing or out of date', `${build.fix}; ./errand up does it too`));
    return 1;
  }
  const url = process.env.ERRAND_REDIS_URL || embeddedRedis();
  if (!url) {
    bad('redis', new SetupError(`no stack has run with ${DATA_DIR}`, 'set ERRAND_REDIS_URL, or run `./errand up`'));
    return 1;
  }
  const { connectQueues, repairRings } = createRequire(`${ROOT}/dist/`)('./libs/queue/src/index.js');
  const queues = connectQueues(url, { ageSeconds: 1, count: 1 });
  heading('The queues');
  try {
    await queues.redis.ping();
    for (const { queue, waiting, removed, wrong } of await repairRings(queues))
      good(queue, lineOf(waiting, removed, wrong));
    say('\nErrand makes the same check every minute.');
    return 0;
  } catch (error) {
    bad('redis', new SetupError(`it does not answer: ${error.message}`, 'start it, or correct ERRAND_REDIS_URL'));
    return 1;
  } finally {
    await queues.close();
  }
}

function lineOf(waiting, removed, wrong) {
  if (waiting < 0) return 'too many lanes to check';
  if (removed === 0 && wrong === 0) return `${waiting} waiting in lanes, nothing to correct`;
  return `${waiting} waiting in lanes; corrected the count by ${wrong}, and removed ${removed} empty lanes and rings`;
}

/** The address of the Redis of the stack on the data folder; undefined if there was none. */
function embeddedRedis() {
  const file = `${DATA_DIR}/redis/redis.conf`;
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  const [, port] = /^port (\d+)$/m.exec(text) ?? [];
  const [, password] = /^requirepass (\S+)$/m.exec(text) ?? [];
  return port && password ? `redis://:${password}@127.0.0.1:${port}` : undefined;
}
