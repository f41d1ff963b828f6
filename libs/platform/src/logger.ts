import { AsyncLocalStorage } from 'node:async_hooks';
import { destination, pino, type DestinationStream, type Logger } from 'pino';

export type { Logger } from 'pino';

/** What every log line of the work in hand carries. */
export interface LogContext {
  invocationId?: string;
  tenant?: string;
  traceId?: string;
}

const context = new AsyncLocalStorage<LogContext>();

/** Runs `work` so that every line logged in it, however deep, carries `fields`. */
export function withLogContext<T>(fields: LogContext, work: () => T): T {
  return context.run({ ...context.getStore(), ...fields }, work);
}

const MAX_FIELD = 16 * 1024;

/** Structured logs to stderr (stdout is for answers), one JSON object a line; control characters are escaped by the JSON itself. */
export function createLogger(app: string, level: string, stream: DestinationStream = destination(2)): Logger {
  return pino(
    {
      level,
      base: { app },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => context.getStore() ?? {},
      serializers: { err: shortError },
      redact: ['headers.authorization', 'headers.cookie', '*.secret', '*.password'],
    },
    stream,
  );
}

function shortError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack } = pino.stdSerializers.err(error);
  return { type, message: message.slice(0, MAX_FIELD), stack: stack.slice(0, MAX_FIELD) };
}
