import { SECONDS, type Measure, type Metrics } from '@errand/platform';
import type { Sent } from '@errand/queue';

const ATTEMPTS: Measure = {
  name: 'errand_delivery_attempts_total',
  help: 'Attempts to deliver a callback: delivered, failed (it is tried again), refused (it is not), skipped (nothing was to be sent)',
  labels: ['verdict'],
};
const DURATION: Measure = {
  name: 'errand_delivery_attempt_duration_seconds',
  help: 'How long attempts to deliver a callback took',
  labels: ['verdict'],
};

/** Counts what comes of attempts; hands each on as it is. */
export function countAttempts(metrics: Metrics): (sent: Sent) => Sent {
  const attempts = metrics.counter(ATTEMPTS);
  const duration = metrics.histogram(DURATION, SECONDS);
  return (sent) => {
    const { verdict } = sent;
    attempts.inc({ verdict });
    if (sent.verdict !== 'skipped') duration.observe({ verdict }, sent.attempt.durationMs / 1_000);
    return sent;
  };
}
