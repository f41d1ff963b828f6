export {
  EnvironmentError,
  readSettings,
  type Environment,
  type Setting,
  type Settings,
  type SettingTable,
} from './env.js';
export {
  ALL_SETTINGS,
  API_SETTINGS,
  readProcessSettings,
  requireRedisUrl,
  SCRIPT_RUNNER_SETTINGS,
  WORKER_SETTINGS,
  type ApiSettings,
  type ScriptRunnerSettings,
  type WorkerSettings,
} from './settings.js';
export { createLogger, withLogContext, type LogContext, type Logger } from './logger.js';
export { NestLogger } from './nest-logger.js';
export {
  isOperator,
  judgeCallers,
  requireSafeBinding,
  UnsafeBindingError,
  type Access,
  type Caller,
  type Judged,
} from './access.js';
export { DEFAULT_TENANT, type ApiKey } from './api-keys.js';
export { InHand } from './in-hand.js';
export { Metrics, SECONDS, type Measure, type Reading, type Value } from './metrics.js';
export { measureInHand, measureJobs, toolLabel, type JobEnd } from './job-metrics.js';
export {
  checkOf,
  healthAccess,
  readinessOf,
  serveHealth,
  type HealthOptions,
  type Readiness,
} from './health-server.js';
export { runProcess, type Running } from './run-process.js';
export { addressFault, allowsHost, checkCallbackUrl, parseAllowList, type AllowList } from './address-rules.js';
export { createGuardedFetch, type FetchGuard } from './guarded-fetch.js';
export { parseWebhookSecret } from './webhook-secret.js';
