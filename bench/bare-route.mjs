// A minimal API for jobs: Fastify routes on a BullMQ queue. `POST /jobs` waits for the end if the request has `Prefer`.
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const fastify = require('fastify')({ bodyLimit: 1_048_576 });
const { FlowProducer, Queue, QueueEvents } = require('bullmq');

const connection = { url: process.env.REDIS_URL, maxRetriesPerRequest: null };
const queue = new Queue('bare', { connection });
const flows = new FlowProducer({ connection });
const events = new QueueEvents('bare', { connection });
for (const emitter of [queue, events, flows]) emitter.setMaxListeners(0);
await events.waitUntilReady();

const keep = { removeOnComplete: { age: 3600, count: 100_000 }, removeOnFail: { age: 3600, count: 100_000 } };

fastify.post('/jobs', async (request, reply) => {
  const job = await queue.add('noop', request.body, keep);
  if (request.headers.prefer === undefined) return reply.status(202).send({ id: job.id });
  return { id: job.id, result: await job.waitUntilFinished(events) };
});
const readJob = async (request) => {
  const job = await queue.getJob(request.params.id);
  return { ...job.asJSON(), state: await job.getState() };
};
fastify.route({ method: 'GET', url: '/jobs/:id', handler: readJob });
fastify.post('/flows', async (request, reply) => {
  const child = { name: 'noop', queueName: 'bare', data: request.body, opts: keep };
  const data = { url: request.body.callback?.url };
  const flow = await flows.add({ name: 'told', queueName: 'told', data, opts: keep, children: [child] });
  return reply.status(202).send({ id: flow.job.id });
});
/** A chain of ten jobs, each the child of the next one; waits for the end of the last. */
async function runChain(request) {
  let chain = { name: 'noop', queueName: 'bare', data: request.body, opts: keep };
  for (let n = 1; n < 10; n++) chain = { name: 'noop', queueName: 'bare', data: {}, opts: keep, children: [chain] };
  const { job } = await flows.add(chain);
  return { id: job.id, result: await job.waitUntilFinished(events) };
}
fastify.route({ method: 'POST', url: '/chain', handler: runChain });
fastify.post('/bulk', async (request, reply) => {
  const jobs = await queue.addBulk(request.body.items.map((data) => ({ name: 'noop', data, opts: keep })));
  return reply.status(202).send({ items: jobs.map(({ id }) => ({ id })) });
});
const url = await fastify.listen({ port: 0, host: '127.0.0.1' });
process.send({ ready: url });
