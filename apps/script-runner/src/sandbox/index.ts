export { DockerSandbox, type DockerSandboxOptions } from './docker-sandbox.js';
export { DEFAULT_LIMITS, type RunLimits } from './limits.js';
export type { RunHooks, SandboxSpec } from './sandbox-spec.js';
