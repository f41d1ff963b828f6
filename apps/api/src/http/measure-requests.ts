import { SECONDS, type Measure, type Metrics } from '@errand/platform';
import type { FastifyInstance } from 'fastify';

const DURATION: Measure = {
  name: 'errand_http_request_duration_seconds',
  help: 'Duration of requests from their arrival to the end of the response, by method, route and status. It includes intended waits and streams',
  labels: ['method', 'route', 'status'],
};

/** Measures every request. An unknown path is not a label, because callers could create any number of labels. */
export function measureRequests(fastify: FastifyInstance, metrics: Metrics): void {
  const duration = metrics.histogram(DURATION, SECONDS);
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method, url: route = 'none' } = request.routeOptions;
    const seconds = reply.elapsedTime / 1_000;
    duration.observe(
      { method: [method].flat()[0] ?? request.method, route, status: String(reply.statusCode) },
      seconds,
    );
    done();
  });
}
