// The two sides of the cost benchmark: Errand's processes, and the bare route with its worker. Each has a Redis of its own.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cpuTimeOf, freePort, startModule, startRedis } from '../measure.mjs';
import { images } from '../sandbox-runs.mjs';
import { countRoundTrips } from './count-round-trips.mjs';
import { writeLibrary } from './workloads.mjs';

const require = createRequire(import.meta.url);
const { Redis } = require('ioredis');
const autocannon = require('autocannon');
const { newInvocationId } = require('../../dist/libs/contracts/src/index.js');
const { enqueueInvocations } = require('../../dist/libs/queue/src/enqueue/enqueue-invocations.js');
const { connectQueues } = require('../../dist/libs/queue/src/index.js');
const { foldLog } = require('../../dist/libs/queue/src/stats/stats-log.js');

const here = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const PROCESSES = ['api', 'worker', 'runner', 'redis'];
/** Periodic work of the processes would make the counts depend on the time. This is the longest period that Errand takes. */
const LONGEST_MS = '600000';
const FILLED_AT_ONCE = 500;

/** A receiver of callbacks that counts them. */
export async function startReceiver() {
  let count = 0;
  const server = createServer((request, response) => {
    count++;
    request.resume().on('end', () => response.writeHead(204).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    count: () => count,
    stop: () => (server.closeAllConnections(), server.close()),
  };
}

/** `settle` does the work that requests have left in Redis for later: a sweep moves the entries of the statistics to their buckets. */
class Side {
  /** The process ids by name, and what `stop` ends. */
  pids = {};
  started = [];
  processes = new Map();

  /** @param isCounted the processes use Redis through a proxy that counts round trips */
  async open(isCounted) {
    const store = await startRedis();
    this.started.push(store);
    this.storeUrl = store.url;
    this.redis = new Redis(store.url);
    this.started.push({ stop: () => this.redis.disconnect() });
    this.pids.redis = Number(/^process_id:(\d+)/m.exec(await this.redis.info('server'))[1]);
    if (!isCounted) return store.url;
    const proxy = await countRoundTrips(store.url);
    this.started.push(proxy);
    this.trips = proxy.trips;
    this.messages = proxy.messages;
    return proxy.url;
  }

  async start(name, module, env, execArgv) {
    const process = await startModule(here(module), env, execArgv);
    this.started.push(process);
    this.processes.set(name, process);
    this.pids[name] = process.pid;
    return process.ready;
  }

  /** Ends the processes beside the API that are not named. */
  async keepOnly(names) {
    for (const [name, process] of this.processes) {
      if (name === 'api' || names.includes(name)) continue;
      await process.stop();
      delete this.pids[name];
    }
  }

  async stop() {
    for (const one of this.started.splice(0).toReversed()) await one.stop();
  }

  /** Runs `start`; ends what it has started if it fails. @returns this side */
  async opened(start) {
    try {
      await start();
      return this;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** The CPU time of each process so far, in ms. */
  cpu() {
    return PROCESSES.map((name) => (this.pids[name] === undefined ? 0 : cpuTimeOf(this.pids[name])));
  }
}

/** Errand with these processes beside the API. @param env more settings of each process; `execArgv`: the flags of V8 of API and worker */
export function startErrand(parts, { isCounted = false, env = {}, execArgv } = {}) {
  const side = new Side();
  side.pathOf = ({ path }) => path;
  side.settle = () => foldLog({ redis: side.redis });
  return side.opened(() => startProcesses(side, parts, { isCounted, more: env, execArgv }));
}

async function startProcesses(side, parts, { isCounted, more, execArgv }) {
  const folder = mkdtempSync(join(tmpdir(), 'errand-cost-'));
  writeLibrary(join(folder, 'library'));
  side.started.push({ stop: () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 }) });
  const env = {
    ERRAND_PORT: '0',
    ERRAND_REDIS_URL: await side.open(isCounted),
    ERRAND_LOG_LEVEL: 'error',
    ERRAND_LIBRARY: join(folder, 'library'),
    ERRAND_DATA_DIR: join(folder, 'data'),
    ERRAND_CALLBACK_ALLOW: '127.0.0.1',
    ERRAND_RETENTION_COUNT: '10000000',
    ERRAND_QUEUE_BOUND: '0',
    ERRAND_DELAYED_BOUND: '0',
    ERRAND_LOCK_MS: LONGEST_MS,
    ERRAND_STALLED_MS: LONGEST_MS,
    ERRAND_IMAGE_BUN: images.bun,
    ERRAND_IMAGE_PYTHON: images.python,
    ERRAND_POOL_MIN: '1',
    ERRAND_POOL_MAX: '2',
    ...more,
  };
  side.url = `${await side.start('api', 'start-app.mjs', { ...env, APP: 'api' }, execArgv)}/v1/invocations`;
  for (const part of parts) {
    const own = part === 'runner' ? { ERRAND_HEALTH_PORT: String(await freePort()) } : {};
    await side.start(part, 'start-app.mjs', { ...env, ...own, APP: part }, part === 'runner' ? [] : execArgv);
  }
}

/** The bare route, and its worker if `parts` has one. @param execArgv the flags of V8 */
export function startBare(parts, execArgv) {
  const side = new Side();
  side.pathOf = ({ barePath }) => barePath;
  side.settle = async () => {};
  return side.opened(async () => {
    const env = { REDIS_URL: await side.open(false) };
    side.url = await side.start('api', 'bare-route.mjs', env, execArgv);
    if (parts.includes('worker')) await side.start('worker', 'bare-worker.mjs', env, execArgv);
  });
}

/** Headers of the next request; with several tenants, each request has the next one, unless all are of one tenant. */
export function headersFor(tenants, { waits = false, isOfOneTenant = false } = {}) {
  let next = 0;
  return () => ({
    'content-type': 'application/json',
    ...(waits && { prefer: 'wait=60' }),
    ...(tenants > 1 && { 'x-errand-tenant': `tenant-${isOfOneTenant ? 0 : next++ % tenants}` }),
  });
}

/**
 * Gives each tenant an invocation that is due tomorrow.
 * @param isQuick the API accepts only the first one, and the others are enqueued here by the same code, which needs a tenth of the CPU time.
 *   The optimizing compiler of the API then still has work during the measurement.
 */
export async function fillTenants(side, tenants, isQuick) {
  if (tenants === 1) return;
  const body = { toolId: 'core:echo', arguments: { value: 'x' }, options: { delayMs: 86_400_000 } };
  if (isQuick) await enqueueForTenants(side, tenants, body);
  else await sendMany(side.url, { body, headers: headersFor(tenants), amount: tenants, inFlight: 64 });
  // The sweeper of a worker folds their statistics; without a worker they stay in the log.
  while (side.processes.has('worker') && (await side.redis.llen('{errand}:stats-log')) > 0) await delay(100);
}

async function enqueueForTenants(side, tenants, body) {
  const response = await fetch(side.url, {
    method: 'POST',
    headers: headersFor(tenants)(),
    body: JSON.stringify(body),
  });
  const { id: first } = await response.json();
  const record = JSON.parse(await side.redis.hget(`{errand}:invocations:${first}`, 'data'));
  const queues = connectQueues(side.storeUrl, { ageSeconds: 3_600, count: 10_000_000 });
  for (let n = 1; n < tenants; n += FILLED_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(FILLED_AT_ONCE, tenants - n) }, (_, more) => n + more);
    const made = numbers.map((of) => ({
      queue: 'invocations',
      id: newInvocationId(),
      record: { ...record, tenant: `tenant-${of}` },
      options: body.options,
    }));
    await enqueueInvocations(queues, made);
  }
  await queues.close();
}

/** @param headers makes the headers of each request */
export async function sendMany(url, { body, headers, amount, inFlight }) {
  const setupRequest = (request) => ({ ...request, headers: headers() });
  const requests = [{ method: 'POST', body: JSON.stringify(body), setupRequest }];
  const sent = await autocannon({ url, requests, amount, connections: inFlight, timeout: 120 });
  if (sent.non2xx > 0 || sent.errors > 0) throw new Error(`${url}: ${sent.non2xx} refused, ${sent.errors} failed`);
}
