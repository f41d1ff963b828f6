import { destination, pino, type DestinationStream, type Logger } from 'pino';

export type { Logger } from 'pino';

const MAX_FIELD = 16 * 1024;

/**
 * Structured logs on stderr, because stdout is for results. Each line is one JSON object, which escapes control
 * characters.
 */
export function createLogger(app: string, level: string, stream: DestinationStream = destination(2)): Logger {
  return pino(
    {
      level,
      base: { app },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
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
