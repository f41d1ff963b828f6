// A raw BullMQ worker that does nothing but give back what it got.
import { createRequire } from 'node:module';
const { Worker } = createRequire(import.meta.url)('bullmq');

const connection = { url: process.env.REDIS_URL, maxRetriesPerRequest: null };
const worker = new Worker('bare', async (job) => job.data, { connection, concurrency: 100 });
await worker.waitUntilReady();
process.send({ ready: true });
