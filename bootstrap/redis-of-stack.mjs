import { existsSync, readFileSync } from 'node:fs';
import { DATA_DIR } from './settings.mjs';
import { SetupError } from './setup-error.mjs';

/** The address of the Redis that commands ask: ERRAND_REDIS_URL, else that of the stack. A SetupError if there is none. */
export function redisUrl() {
  return (
    process.env.ERRAND_REDIS_URL ||
    embeddedRedis() ||
    new SetupError(`no stack has run with ${DATA_DIR}`, 'set ERRAND_REDIS_URL, or run `./errand up`')
  );
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
