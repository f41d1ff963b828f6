import type { ApiSettings, Logger } from '@errand/platform';

/** Injection token of the settings of the API process. */
export abstract class ApiConfiguration {
  abstract readonly ERRAND_ALLOWED_ORIGINS: ApiSettings['ERRAND_ALLOWED_ORIGINS'];
  abstract readonly ERRAND_API_KEYS: ApiSettings['ERRAND_API_KEYS'];
  abstract readonly ERRAND_CALLBACK_ALLOW: ApiSettings['ERRAND_CALLBACK_ALLOW'];
  abstract readonly ERRAND_CONSOLE: ApiSettings['ERRAND_CONSOLE'];
  abstract readonly ERRAND_DEFAULT_AGENT: ApiSettings['ERRAND_DEFAULT_AGENT'];
  abstract readonly ERRAND_KEEP_TEXT: ApiSettings['ERRAND_KEEP_TEXT'];
  abstract readonly ERRAND_LIBRARY: ApiSettings['ERRAND_LIBRARY'];
  abstract readonly ERRAND_LOGIN_IDLE_MS: ApiSettings['ERRAND_LOGIN_IDLE_MS'];
  abstract readonly ERRAND_MCP_INLINE_MS: ApiSettings['ERRAND_MCP_INLINE_MS'];
  abstract readonly ERRAND_PUBLIC_URL: ApiSettings['ERRAND_PUBLIC_URL'];
  abstract readonly ERRAND_REFUSALS_AGE: ApiSettings['ERRAND_REFUSALS_AGE'];
  abstract readonly ERRAND_REFUSALS_COUNT: ApiSettings['ERRAND_REFUSALS_COUNT'];
  abstract readonly ERRAND_SECRETS_DIR: ApiSettings['ERRAND_SECRETS_DIR'];
}

/** Injection token of the logger of the API process. */
export abstract class ApiLogger {
  abstract readonly info: Logger['info'];
  abstract readonly warn: Logger['warn'];
  abstract readonly error: Logger['error'];
}
