import { SECONDS, type Measure, type Metrics } from '@errand/platform';
import type { Sent } from '@errand/queue';

const ATTEMPTS: Measure = {
  name: 'errand_delivery_attempts_total',
  help: 'Attempts to deliver a callback: delivered, failed (a retry follows), refused (no retry follows), skipped (the receiver does not want the event)',
  labels: ['verdict'],
};
const DURATION: Measure = {
  name: 'errand_delivery_attempt_duration_seconds',
  help: 'Duration of attempts to deliver a callback',
  labels: ['verdict'],
};

/** Counts attempts by their verdict. The returned function returns its argument unchanged. */
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
