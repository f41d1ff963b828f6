// Runs graphs as flows of BullMQ jobs, with one worker and a private Redis.
import { createRequire } from 'node:module';
import { sum } from './dags.mjs';
import { startRedis } from './measure.mjs';

const { FlowProducer, Queue, Worker } = createRequire(import.meta.url)('bullmq');
const NAME = 'flows';
const CONCURRENCY = 50;

/** Returns two ways to run a tree: `added` measures the worker only, `whole` also the submission. Both return the result. */
export async function startFlows() {
  const redis = await startRedis();
  const connection = { url: redis.url, maxRetriesPerRequest: null };
  const producer = new FlowProducer({ connection });
  const queue = new Queue(NAME, { connection });
  const worker = new Worker(NAME, processJob, { connection, concurrency: CONCURRENCY });
  await worker.waitUntilReady();

  const clear = async () => {
    await queue.obliterate({ force: true });
    await queue.resume();
  };
  const add = async (tree) => (await producer.add(asFlow(tree))).job.id;

  const resultOf = (rootName) =>
    new Promise((resolve) => {
      const onCompleted = (job, value) => {
        if (job.name !== rootName) return;
        worker.off('completed', onCompleted);
        resolve(value);
      };
      worker.on('completed', onCompleted);
    });

  return {
    added: (tree) => ({
      prepare: async () => {
        await clear();
        await queue.pause();
        await add(tree);
      },
      run: async () => {
        const result = resultOf(rootOf(tree));
        await queue.resume();
        return result;
      },
    }),
    whole: (tree) => ({
      prepare: clear,
      run: async () => {
        const result = resultOf(rootOf(tree));
        await add(tree);
        return result;
      },
    }),
    close: async () => {
      await worker.close();
      await Promise.all([queue.close(), producer.close()]);
      await redis.stop();
    },
  };
}

const nameOf = (n) => `n${n}`;
const rootOf = ({ from }) => nameOf(from.length - 1);

/** The dependencies of a node are its children. The flow is built from the bottom, because a chain is too deep for recursion. */
function asFlow({ from }) {
  const jobs = [];
  for (const [n, sources] of from.entries()) {
    const children = sources.map((source) => jobs[source]);
    jobs.push({ name: nameOf(n), queueName: NAME, data: {}, ...(children.length > 0 && { children }) });
  }
  return jobs.at(-1);
}

/** The work of a node, as a job. */
async function processJob(job) {
  return sum(Object.values(await job.getChildrenValues()));
}
