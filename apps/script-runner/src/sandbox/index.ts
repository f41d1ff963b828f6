export { DockerSandbox, type DockerSandboxOptions } from './docker-sandbox.js';
export type { PoolBounds } from './warm-pool.js';
export { DEFAULT_LIMITS, type RunLimits } from './limits.js';
export type { RunEnvironment, Mount } from './environment.js';
export { asServiceError, noImage, statusOf } from './docker-errors.js';
export type { KeptImage } from './container.js';
export { newRunnerId } from './container-registry.js';
export type { RunHooks, SandboxSpec } from './sandbox-run.js';
