import { SECONDS, type Measure, type Metrics } from '@errand/platform';
import type { FastifyInstance } from 'fastify';

const DURATION: Measure = {
  name: 'errand_http_request_duration_seconds',
  help: 'Duration of requests from their arrival to the end of the response, by method, route and status. It includes intended waits and streams',
  labels: ['method', 'route', 'status'],
};

/** Notes the duration of a request in ms. */
export type MeasureRequest = (method: string, route: string, status: number, ms: number) => void;

/**
 * Measures every request to Fastify. An unknown path is not a label, because callers could create any number of labels.
 * @returns the measure, for requests that Fastify does not see
 */
export function measureRequests(fastify: FastifyInstance, metrics: Metrics): MeasureRequest {
  const duration = metrics.histogram(DURATION, SECONDS);
  const measure: MeasureRequest = (method, route, status, ms) =>
    duration.observe({ method, route, status: String(status) }, ms / 1_000);
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method, url: route = 'none' } = request.routeOptions;
    measure([method].flat()[0] ?? request.method, route, reply.statusCode, reply.elapsedTime);
    done();
  });
  return measure;
}
