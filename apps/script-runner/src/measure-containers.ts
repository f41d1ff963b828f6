import type { Measure, Metrics } from '@errand/platform';
import type { DockerSandbox } from './sandbox/index.js';

const CONTAINERS: Measure = {
  name: 'errand_sandbox_waiting_containers',
  help: 'Started containers that wait for any script',
  labels: [],
};

const CAPACITY: Measure = {
  name: 'errand_runner_capacity',
  help: 'Maximum number of scripts that this runner runs at once',
  labels: [],
};

/** Measures the maximum of concurrent scripts. The metric errand_jobs_in_hand has the current number. */
export function measureCapacity(metrics: Metrics, capacity: number): void {
  metrics.gauge(CAPACITY, () => [[{}, capacity]]);
}

/** Measures the waiting containers. At 0 for long, each script waits for the start of its container. */
export function measureContainers(metrics: Metrics, sandbox: DockerSandbox): void {
  metrics.gauge(CONTAINERS, () => [[{}, sandbox.waiting]]);
}
