/**
 * Measures what the stream of everything (`GET /v1/events`) costs: the accept rate with and without listeners, the memory of a listener, and
 * the commands of Redis. Run `npm run build` first.
 *
 *   node bench/feed.mjs [listeners]      100 by default
 *
 * Exit code 1: with listeners, the API accepts less than 0.95 of that without in a second of its CPU time.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { rateOf } from './load.mjs';
import { compared, cpuTimeOf, ratioCells, startModule, startRedis, table } from './measure.mjs';

const { Redis } = createRequire(import.meta.url)('ioredis');
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const LISTENERS = Number(process.argv[2] ?? 100);
const ROUNDS = 7;
const LEAST = 0.95;
const QUIET_SECONDS = 5;
const BODY = JSON.stringify({ toolId: 'core:echo', arguments: { value: 'x' } });

/** The resident memory of a process in bytes. */
function memoryOf(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(kilobytes) * 1_024;
}

const redis = await startRedis();
const env = { ERRAND_PORT: '0', ERRAND_LOG_LEVEL: 'error', ERRAND_QUEUE_BOUND: '0', ERRAND_REDIS_URL: redis.url };
const api = await startModule(here('start-app.mjs'), { ...env, APP: 'api' });
const counter = new Redis(redis.url);
const FEED = { FEED_URL: `${api.ready}/v1/events`, LISTENERS: String(LISTENERS) };
const listen = () => startModule(here('feed-listeners.mjs'), FEED);
/** Accepted requests per second; adds those per second of CPU time of the API to `rates`. Only the latter do not depend on other load. */
async function accept(rates = []) {
  const before = [cpuTimeOf(api.pid), performance.now()];
  const rate = await rateOf({ url: `${api.ready}/v1/invocations`, method: 'POST', body: BODY });
  const [cpu, wall] = [cpuTimeOf(api.pid) - before[0], performance.now() - before[1]];
  rates.push((rate * wall) / cpu);
  return rate;
}

/** The commands of Redis in a second, besides the ones that count. */
async function commandsASecond() {
  const total = async () => Number(/total_commands_processed:(\d+)/.exec(await counter.info('stats'))[1]);
  const before = await total();
  await delay(QUIET_SECONDS * 1_000);
  return ((await total()) - before - 1) / QUIET_SECONDS;
}

try {
  await accept();
  const commands = { before: await commandsASecond() };
  const perCpu = { ours: [], theirs: [] };
  const rates = { ours: [], theirs: [] };
  let memory = 0;
  for (let round = 0; round < ROUNDS; round++) {
    rates.theirs.push(await accept(perCpu.theirs));
    const before = memoryOf(api.pid);
    const listeners = await listen();
    memory = Math.max(memory, memoryOf(api.pid) - before);
    if (round === 0) commands.with = await commandsASecond();
    rates.ours.push(await accept(perCpu.ours));
    await listeners.stop();
  }
  commands.after = await commandsASecond();
  const [found, cpu] = [compared(rates), compared(perCpu)];
  const perSecond = (rate) => `${Math.round(rate)}/s`;
  console.log(
    table(
      ['measured (higher is better)', `${LISTENERS} listeners`, 'no listener', 'ratio', 'range'],
      [
        ['accepted', perSecond(found.ours), perSecond(found.theirs), ...ratioCells(found)],
        ['accepted per second of CPU time', perSecond(cpu.ours), perSecond(cpu.theirs), ...ratioCells(cpu)],
      ],
    ),
  );
  const perListener = `${Math.round(memory / LISTENERS / 1_024)} KiB at most`;
  console.log(
    table(
      ['measured (lower is better)', 'value'],
      [
        ['memory of the API for a listener', perListener],
        ['commands of Redis in a second before the first listener', commands.before.toFixed(1)],
        [`commands of Redis in a second with ${LISTENERS} listeners`, commands.with.toFixed(1)],
        ['commands of Redis in a second after the last listener', commands.after.toFixed(1)],
      ],
    ),
  );
  if (cpu.ratio < LEAST) process.exitCode = 1;
} finally {
  counter.disconnect();
  await api.stop();
  await redis.stop();
}
