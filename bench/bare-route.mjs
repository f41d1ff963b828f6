// The least that could be called an API for jobs: a Fastify route that adds to a BullMQ queue, and waits for the end where asked.
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const fastify = require('fastify')({ bodyLimit: 1_048_576 });
const { Queue, QueueEvents } = require('bullmq');

const connection = { url: process.env.REDIS_URL, maxRetriesPerRequest: null };
const queue = new Queue('bare', { connection });
const events = new QueueEvents('bare', { connection });
for (const emitter of [queue, events]) emitter.setMaxListeners(0);
await events.waitUntilReady();

const keep = { removeOnComplete: { age: 3600, count: 100_000 }, removeOnFail: { age: 3600, count: 100_000 } };

fastify.post('/jobs', async (request, reply) => {
  const job = await queue.add('noop', request.body, keep);
  if (request.headers.prefer === undefined) return reply.status(202).send({ id: job.id });
  return { id: job.id, result: await job.waitUntilFinished(events) };
});
const url = await fastify.listen({ port: 0, host: '127.0.0.1' });
process.send({ ready: url });
