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
export { checkOf, readinessOf, serveHealth, type Readiness } from './health-server.js';
export { runProcess, type Running } from './run-process.js';
export { addressFault, allowsHost, checkCallbackUrl, parseAllowList, type AllowList } from './address-rules.js';
export { createGuardedFetch, type FetchGuard } from './guarded-fetch.js';
export { parseWebhookSecret } from './webhook-secret.js';
