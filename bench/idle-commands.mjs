/** Prints how many commands a second an API and a worker send to Redis while they have no work, with one shard and with eight. */
import { setTimeout as delay } from 'node:timers/promises';
import { startErrand } from './cost/sides.mjs';
import { table } from './measure.mjs';

const SHARDS = ['1', '8'];
const SETTLE_MS = 3_000;
const SECONDS = Number(process.argv[2] ?? 20);

/** The commands of scripts do not count. */
async function commandsPerSecond(shards) {
  const side = await startErrand(['worker'], { env: { ERRAND_SHARDS: shards } });
  try {
    await delay(SETTLE_MS);
    const monitor = await side.redis.monitor();
    let count = 0;
    monitor.on('monitor', (_time, _args, source) => (count += source === 'lua' ? 0 : 1));
    await delay(SECONDS * 1_000);
    monitor.disconnect();
    return count / SECONDS;
  } finally {
    await side.stop();
  }
}

const rows = [];
for (const shards of SHARDS) rows.push([shards, (await commandsPerSecond(shards)).toFixed(0)]);
console.log(table(['shards', 'commands a second'], rows));
