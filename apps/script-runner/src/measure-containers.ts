import type { Measure, Metrics } from '@errand/platform';
import type { DockerSandbox } from './sandbox/index.js';

const CONTAINERS: Measure = {
  name: 'errand_sandbox_waiting_containers',
  help: 'Containers that are started and wait for a script of anyone',
  labels: [],
};

const CAPACITY: Measure = {
  name: 'errand_runner_capacity',
  help: 'Scripts that this runner takes at a time',
  labels: [],
};

/** Shows how many scripts run here at once at the most; errand_jobs_in_hand says how many do. */
export function measureCapacity(metrics: Metrics, capacity: number): void {
  metrics.gauge(CAPACITY, () => [[{}, capacity]]);
}

/** Shows how many containers are ready: none for long means that scripts pay for the start of theirs. */
export function measureContainers(metrics: Metrics, sandbox: DockerSandbox): void {
  metrics.gauge(CONTAINERS, () => [[{}, sandbox.waiting]]);
}
