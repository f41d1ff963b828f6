export {
  EnvironmentError,
  readSettings,
  type EnvironmentVariables,
  type Setting,
  type Settings,
  type SettingTable,
} from './env.js';
export { ALL_SETTINGS, readProcessSettings, requireRedisUrl } from './settings/read-process-settings.js';
export { API_SETTINGS, type ApiSettings } from './settings/api-settings.js';
export { WORKER_SETTINGS, type WorkerSettings } from './settings/worker-settings.js';
export { SCRIPT_RUNNER_SETTINGS, type ScriptRunnerSettings } from './settings/script-runner-settings.js';
export { allocateYoung } from './allocate-young.js';
export { lowerBackgroundThreads } from './background-threads.js';
export { createLogger, type Logger } from './logger.js';
export { NestLogger } from './nest-logger.js';
export {
  isOperator,
  createAccessCheck,
  requireSafeBinding,
  UnsafeBindingError,
  type Access,
  type Credentials,
  type AccessDecision,
} from './access.js';
export { DEFAULT_TENANT, isTenantName, type ApiKey } from './api-keys.js';
export { RunningJobIds, measureRunningJobs, measureJobs, toolLabel, type JobEnd } from './job-metrics.js';
export { Metrics, SECONDS, type Measure, type GaugeReader, type GaugeValue } from './metrics.js';
export { readinessOf, requireSafeHealth, serveHealth, type HealthOptions, type Readiness } from './health-server.js';
export { calledHost, readOrigin } from './http/called-host.js';
export { createBoundedServer, type ServingSettings } from './http/bounded-server.js';
export { countRefusals } from './http/count-refusals.js';
export { listenEverywhere } from './http/listen-everywhere.js';
export { PROBLEM_TYPE, problemBody } from './http/problem-body.js';
export { runProcess, type Running } from './run-process.js';
export { VERSION } from './server-version.js';
export { ROOT } from './top-folder.js';
export {
  addressFault,
  allowsHost,
  checkCallbackUrl,
  clientOf,
  parseAllowList,
  type AllowList,
} from './address-rules.js';
export { loadOnDemand } from './load-on-demand.js';
export { createGuardedFetch, type FetchGuard } from './guarded-fetch.js';
export { parseWebhookSecret } from './webhook-secret.js';
export { HintedError, hintOf } from './hinted-error.js';
export { maskSecrets, type Mask } from './secrets/mask-secrets.js';
export { parseSecretPolicy, type SecretPolicy } from './secrets/secret-policy.js';
export { readSecretFolder } from './secrets/read-secret-folder.js';
export { SecretStore } from './secrets/secret-store.js';
