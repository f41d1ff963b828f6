import { createRequire } from 'node:module';
import { redisUrl } from './redis-of-stack.mjs';
import { bad, good, say } from './report.mjs';
import { ROOT } from './settings.mjs';
import { SetupError } from './setup-error.mjs';
import { UsageError } from './usage-error.mjs';

const MOST = 1_024;

/** `./errand shards <number>`: records another number of shards. Exit code 1 without an answer of Redis. */
export async function changeShards({ words: [text = ''] }) {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST)
    throw new UsageError(
      'shards',
      `the number of shards is 1 to ${MOST}, not '${text.slice(0, 60)}'`,
      './errand shards 8',
    );
  const url = redisUrl();
  if (url instanceof SetupError) {
    bad('redis', url);
    return 1;
  }
  const { connectQueues, recordShardCount } = createRequire(`${ROOT}/dist/`)('./libs/queue/src/index.js');
  const queues = connectQueues(url, { ageSeconds: 1, count: 1 });
  try {
    await queues.redis.ping();
    const layout = await recordShardCount(queues.redis, count);
    const { since } = layout.at(-1);
    if (since < Date.now()) good('shards', `there are ${count} already`);
    else good('shards', `${count} from ${new Date(since).toISOString()} on; running processes follow`);
    say('A process with another ERRAND_SHARDS does not start. Invocations, keys and sessions stay where they are.');
    return 0;
  } catch (error) {
    bad('redis', new SetupError(error.message, 'start it, or correct ERRAND_REDIS_URL'));
    return 1;
  } finally {
    await queues.close();
  }
}
