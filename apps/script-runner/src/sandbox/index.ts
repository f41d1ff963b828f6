export { DockerSandbox, type DockerSandboxOptions } from './docker-sandbox.js';
export type { PoolBounds } from './container-pool.js';
export { DEFAULT_LIMITS, type RunLimits } from './limits.js';
export type { Furnishing, Mount } from './environment.js';
export { asServiceError, noImage, statusOf } from './engine-error.js';
export type { KeptImage } from './sandbox-container.js';
export { newRunnerId } from './runner-id.js';
export type { RunHooks, SandboxSpec } from './sandbox-spec.js';
