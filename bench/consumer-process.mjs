// A process that runs no-op jobs: with BullMQ's Worker, with Errand's consumer alone, or as Errand's workers do.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { Worker } = require('bullmq');
const { ErrandConsumer } = require('../dist/libs/queue/src/bullmq/errand-consumer.js');
const { finishAndTake } = require('../dist/libs/queue/src/bullmq/finish-and-take.js');
const { leanEndOf } = require('../dist/libs/queue/src/bullmq/lean-ends.js');
const { LockKeeper } = require('../dist/libs/queue/src/bullmq/lock-keeper.js');
const { rulesArgs, USUAL_RULES } = require('../dist/libs/queue/src/fair/fair-rules.js');
const { consume } = require('../dist/libs/queue/src/index.js');
const { openConnection } = require('../dist/libs/queue/src/redis/primary-redis.js');

const { REDIS_URL: url, SIDE } = process.env;
const concurrency = 100;
const times = { lockMs: 10_000, stalledMs: 5_000 };
const onError = (error) => console.error(error);
const outcome = { steps: [{ status: 'succeeded', result: 1 }] };
const run = async () => outcome;

const SIDES = {
  bullmq: () => {
    const connection = { url, maxRetriesPerRequest: null };
    const worker = new Worker('invocations', run, { connection, prefix: '{errand}', concurrency });
    return worker.waitUntilReady();
  },
  consumer: () => {
    const connection = openConnection(url, 'patient');
    const locks = new LockKeeper(connection, 'invocations', times.lockMs, { lost: () => {}, error: onError });
    const rest = {
      locks,
      isIndexed: true,
      maxStalledCount: 1,
      pauseAfter: () => -1,
      allSlots: () => concurrency,
      leanEndOf,
      finishAndTake,
    };
    const fair = () => rulesArgs(USUAL_RULES, concurrency);
    const options = { connection, concurrency, ...times, ...rest, fair, onError };
    return new ErrandConsumer('invocations', run, options).waitUntilReady();
  },
  worker: () => consume(url, 'invocations', { concurrency, ...times, onError }, run).ready(),
};

await SIDES[SIDE]();
process.send({ ready: true });
