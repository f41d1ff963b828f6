export { DockerSandbox, type DockerSandboxOptions } from './docker-sandbox.js';
export type { PoolBounds } from './container-pool.js';
export { DEFAULT_LIMITS, type RunLimits } from './limits.js';
export type { RunHooks, SandboxSpec } from './sandbox-spec.js';
