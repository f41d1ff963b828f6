import { ToolError } from '@errand/contracts';
import { bounded } from './format-time.js';
import { momentAt, utc } from './zoned-time.js';

/** Also accepts a year only, a fraction of any length, and a zone without colon. A time needs its zone, or the caller gives one. */
const ISO_TIME =
  /^(?<YYYY>\d{4})-(?<MM>\d\d)-(?<DD>\d\d)(?:[Tt ](?<HH>\d\d):(?<mm>\d\d)(?::(?<ss>\d\d)(?:[.,](?<SSS>\d{1,9}))?)?)?\s?(?<Z>[Zz]|[+-]\d\d(?::?\d\d)?)?$/;

const TOKEN = /YYYY|MM|DD|HH|mm|ss|SSS|Z/g;
const DIGITS: Record<string, string> = { YYYY: '\\d{4}', SSS: '\\d{1,9}', Z: '[Zz]|[+-]\\d\\d(?::?\\d\\d)?' };

/**
 * Reads a time: ISO 8601 (`iso`), seconds (`unix`) or ms (`unix-ms`) since 1970, or by a pattern of the tokens YYYY MM DD HH mm ss SSS Z.
 * `timeZone` is the zone of a time without an offset.
 * @throws ParameterValidationError that names the expected format
 */
export function readTime(text: string, timeZone = 'UTC', format = 'iso', input = 'time'): Date {
  const trimmed = text.trim();
  if (format === 'unix' || format === 'unix-ms') return readNumber(trimmed, format, input);
  const found = (format === 'iso' ? ISO_TIME : expressionFor(bounded(format))).exec(trimmed);
  const moment = found && momentOf(found.groups ?? {}, timeZone);
  if (moment) return moment;
  const expected = format === 'iso' ? 'ISO 8601, such as 2026-01-31T09:30:00Z or 2026-01-31' : `in the form ${format}`;
  throw new ToolError('ParameterValidationError', `'${input}' must be a time ${expected}; got '${text.slice(0, 60)}'`);
}

function readNumber(text: string, format: string, input: string): Date {
  const moment = new Date(/^-?\d{1,16}(\.\d+)?$/.test(text) ? Number(text) * (format === 'unix' ? 1000 : 1) : NaN);
  if (!Number.isNaN(moment.getTime())) return moment;
  throw new ToolError('ParameterValidationError', `'${input}' must be a number since 1970; got '${text.slice(0, 60)}'`);
}

/** The pattern as a regular expression: tokens have a fixed number of digits, other text is literal. It runs in linear time. */
function expressionFor(pattern: string): RegExp {
  const tokens: string[] = pattern.match(TOKEN) ?? [];
  if (
    !tokens.includes('YYYY') ||
    !tokens.includes('MM') ||
    !tokens.includes('DD') ||
    new Set(tokens).size < tokens.length
  )
    throw new ToolError(
      'ParameterValidationError',
      `'format' must be iso, unix, unix-ms or a pattern with YYYY, MM and DD, each token once; got '${pattern.slice(0, 60)}'`,
    );
  const literals = pattern.split(TOKEN).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const parts = tokens.map((token) => `(?<${token}>${DIGITS[token] ?? '\\d\\d'})`);
  return new RegExp(`^${literals.map((literal, index) => literal + (parts[index] ?? '')).join('')}$`);
}

/** Undefined for a date or time that does not exist, such as February 30. */
function momentOf(groups: Record<string, string | undefined>, timeZone: string): Date | undefined {
  const field = (token: string, otherwise: string) => Number(groups[token] ?? otherwise);
  const [month, day, hour] = [field('MM', '1'), field('DD', '1'), field('HH', '0')];
  const [minute, second, ms] = [
    field('mm', '0'),
    field('ss', '0'),
    Math.trunc(Number(`0.${groups.SSS ?? '0'}`) * 1000),
  ];
  const wall = utc(field('YYYY', '1'), month, day, hour, minute, second, ms);
  const date = new Date(wall);
  const real = date.getUTCFullYear() > 0 && date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
  if (!real || hour > 23 || minute > 59 || second > 59) return undefined;
  return groups.Z === undefined ? momentAt(wall, timeZone) : new Date(wall - offsetMs(groups.Z));
}

function offsetMs(zone: string): number {
  if (/^z$/i.test(zone)) return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', '') || 0)];
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
