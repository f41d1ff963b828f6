import { ToolError } from '@errand/contracts';
import { clockFace, type ClockFace } from './zoned-time.js';

/** The text of each token of a pattern. */
const TOKENS: Record<string, (face: ClockFace, moment: Date) => string> = {
  YYYY: ({ numbers }) => numbers.year,
  MMMM: ({ long }) => long().month,
  MMM: ({ short }) => short().month,
  MM: ({ numbers }) => numbers.month,
  DD: ({ numbers }) => numbers.day,
  dddd: ({ long }) => long().weekday,
  ddd: ({ short }) => short().weekday,
  HH: ({ numbers }) => numbers.hour,
  mm: ({ numbers }) => numbers.minute,
  ss: ({ numbers }) => numbers.second,
  SSS: (_face, moment) => String(moment.getUTCMilliseconds()).padStart(3, '0'),
  Z: ({ offset }) => offset,
};

/** A token, or text in brackets, which is literal. */
const PATTERN = /\[([^\]]*)\]|YYYY|MMMM|MMM|MM|DD|dddd|ddd|HH|mm|ss|SSS|Z/g;

const MAX_PATTERN = 200;

const ISO = 'YYYY-MM-DDTHH:mm:ssZ';

/**
 * Writes a time. `format`: `iso`, `unix` (seconds), `unix-ms`, or a pattern.
 * @throws ParameterValidationError for a pattern without any token, an unknown time zone or language
 */
export function formatTime(moment: Date, format: string, timeZone: string, locale?: string): string {
  if (format === 'unix') return String(Math.floor(moment.getTime() / 1000));
  if (format === 'unix-ms') return String(moment.getTime());
  const pattern = format === 'iso' ? ISO : bounded(format);
  const face = clockFace(moment, timeZone, locale);
  let hasToken = false;
  const text = pattern.replaceAll(PATTERN, (token, literal?: string) => {
    if (literal !== undefined) return literal;
    hasToken = true;
    return TOKENS[token]?.(face, moment) ?? token;
  });
  if (hasToken) return text;
  const ways = "'iso', 'unix', 'unix-ms' or a pattern such as 'YYYY-MM-DD HH:mm:ss'";
  throw new ToolError('ParameterValidationError', `'format' must be ${ways}, got '${format}'`);
}

/** @throws ParameterValidationError for a pattern that is too long */
export function bounded(format: string): string {
  if (format.length <= MAX_PATTERN) return format;
  throw new ToolError('ParameterValidationError', `'format' is longer than ${MAX_PATTERN} characters`);
}
