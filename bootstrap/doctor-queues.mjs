import { createRequire } from 'node:module';
import { build } from './needs/compiled-code.mjs';
import { redisUrl } from './redis-of-stack.mjs';
import { bad, good, heading, say } from './report.mjs';
import { ROOT } from './settings.mjs';
import { SetupError } from './setup-error.mjs';

/** `./errand doctor --queues`: prints what waits in each queue, and corrects the rings of waiting jobs. Exit code 1 without an answer. */
export async function doctorQueues() {
  if (!(await build.check())) {
    bad(build.title, new SetupError('missing or out of date', `${build.fix}; ./errand up does it too`));
    return 1;
  }
  const url = redisUrl();
  if (url instanceof SetupError) {
    bad('redis', url);
    return 1;
  }
  const { agreeOnLayout, connectQueues, openShards, repairRings } = createRequire(`${ROOT}/dist/`)(
    './libs/queue/src/index.js',
  );
  const queues = connectQueues(url, { ageSeconds: 1, count: 1 });
  heading('The queues');
  try {
    await queues.redis.ping();
    openShards(url, 'commands', queues, await agreeOnLayout(url, undefined));
    for (const { queue, waiting, removed, wrong } of await repairRings(queues))
      good(queue, lineOf(waiting, removed, wrong));
    say('\nErrand makes the same check every minute.');
    return 0;
  } catch (error) {
    bad('redis', new SetupError(`it does not answer: ${error.message}`, 'start it, or correct ERRAND_REDIS_URL'));
    return 1;
  } finally {
    await queues.shards?.close();
    await queues.close();
  }
}

function lineOf(waiting, removed, wrong) {
  if (removed === 0 && wrong === 0) return `${waiting} waiting in lanes, nothing to correct`;
  return `${waiting} waiting in lanes; corrected the count by ${wrong}, and removed ${removed} empty lanes and rings`;
}
