import type { Measure, Metrics } from '../metrics.js';
import type { RequestRefusal } from './check-origin.js';

const REFUSALS: Measure = {
  name: 'errand_http_refusals_total',
  help: 'Requests and connections refused before a route was looked up: origin, host, slow, malformed, connections',
  labels: ['reason'],
};

/** Returns a function that counts one refusal. */
export function countRefusals(metrics: Metrics): (reason: RequestRefusal['reason']) => void {
  const refusals = metrics.counter(REFUSALS);
  return (reason) => refusals.inc({ reason });
}
