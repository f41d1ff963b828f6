import { SECONDS, type Measure, type Metrics } from '@errand/platform';
import type { FastifyInstance } from 'fastify';

const DURATION: Measure = {
  name: 'errand_http_request_duration_seconds',
  help: 'Requests by method, route and status, from their arrival to the end of the answer; waits and streams last as long as they were meant to',
  labels: ['method', 'route', 'status'],
};

/** Measures every request. A path that is no route is not a label: anyone could make as many as he likes. */
export function measureRequests(fastify: FastifyInstance, metrics: Metrics): void {
  const duration = metrics.histogram(DURATION, SECONDS);
  fastify.addHook('onResponse', async (request, reply) => {
    const { method, url: route = 'none' } = request.routeOptions;
    const seconds = reply.elapsedTime / 1_000;
    duration.observe(
      { method: [method].flat()[0] ?? request.method, route, status: String(reply.statusCode) },
      seconds,
    );
  });
}
