import type { Measure, Metrics } from '@errand/platform';
import type { DockerSandbox } from './sandbox/index.js';

const CONTAINERS: Measure = {
  name: 'errand_sandbox_waiting_containers',
  help: 'Containers that are started and wait for a script of anyone',
  labels: [],
};

/** Shows how many containers are ready: none for long means that scripts pay for the start of theirs. */
export function measureContainers(metrics: Metrics, sandbox: DockerSandbox): void {
  metrics.gauge(CONTAINERS, () => [[{}, sandbox.waiting]]);
}
