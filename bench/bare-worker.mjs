// A raw BullMQ worker that returns the data of its job.
import { createRequire } from 'node:module';
const { Worker } = createRequire(import.meta.url)('bullmq');

const connection = { url: process.env.REDIS_URL, maxRetriesPerRequest: null };
const worker = new Worker('bare', async (job) => job.data, { connection, concurrency: 100 });
await worker.waitUntilReady();
process.send({ ready: true });
