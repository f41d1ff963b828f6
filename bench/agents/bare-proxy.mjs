// A minimal proxy for the stream of a model: a Fastify route that passes the bytes on.
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
const require = createRequire(import.meta.url);
const fastify = require('fastify')();

fastify.post('/chat/completions', async (request, reply) => {
  const response = await fetch(`${process.env.MODEL_URL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request.body),
  });
  return reply.header('content-type', 'text/event-stream').send(Readable.fromWeb(response.body));
});
const url = await fastify.listen({ port: 0, host: '127.0.0.1' });
process.send({ ready: url });
