import { didYouMean, ToolError } from '@errand/contracts';

const DAY_MS = 86_400_000;

/** A shared formatter for each format: creating one takes longer than a hundred uses. */
const formatters = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATTERS = 200;

const NUMBERS: Intl.DateTimeFormatOptions = {
  timeZoneName: 'longOffset',
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
};
const LONG_NAMES: Intl.DateTimeFormatOptions = { month: 'long', weekday: 'long', day: 'numeric' };
const SHORT_NAMES: Intl.DateTimeFormatOptions = { month: 'short', weekday: 'short', day: 'numeric' };

/** A time in a time zone: numbers with leading zeros, names in a language. */
export interface ClockFace {
  numbers: Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', string>;
  /** `+01:00`, or `Z`. */
  offset: string;
  long: () => { month: string; weekday: string };
  short: () => { month: string; weekday: string };
}

/** @throws ParameterValidationError for an unknown time zone or language */
export function clockFace(moment: Date, timeZone: string, locale = 'en'): ClockFace {
  const { timeZoneName = '', year = '', ...rest } = partsOf(moment, timeZone, 'en-US', NUMBERS);
  const offset = timeZoneName.replace('GMT', '');
  const names = (options: Intl.DateTimeFormatOptions) => () => {
    const { month = '', weekday = '' } = partsOf(moment, timeZone, locale, options);
    return { month, weekday };
  };
  return {
    numbers: { year: year.padStart(4, '0'), ...(rest as Omit<ClockFace['numbers'], 'year'>) },
    offset: offset === '' || offset === '+00:00' ? 'Z' : offset,
    long: names(LONG_NAMES),
    short: names(SHORT_NAMES),
  };
}

/** The local time in the time zone, as the ms since 1970 at which UTC has the same date and time. */
export function wallTime(moment: Date, timeZone: string): number {
  const { year, month, day, hour, minute, second } = clockFace(moment, timeZone).numbers;
  const wall = utc(Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second));
  return wall + (((moment.getTime() % 1000) + 1000) % 1000);
}

/**
 * The time at which clocks in the time zone show `wall`. If it occurs twice (clocks were set back), the earlier one. If it does not
 * occur (clocks were set forward), `wall` plus the length of the gap. This is Temporal's "compatible" rule.
 */
export function momentAt(wall: number, timeZone: string): Date {
  const withOffsetAt = (other: number) => wall - (wallTime(new Date(other), timeZone) - other);
  const moments = [withOffsetAt(wall - DAY_MS), withOffsetAt(wall + DAY_MS)] as const;
  const shown = moments.filter((moment) => wallTime(new Date(moment), timeZone) === wall);
  return new Date(shown.length > 0 ? Math.min(...shown) : moments[0]);
}

/** Like Date.UTC, also for the years 1 to 99. Months count from 1; values out of range carry over. */
export function utc(year: number, month: number, day: number, hour = 0, minute = 0, second = 0, ms = 0): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.setUTCHours(hour, minute, second, ms);
}

function partsOf(
  moment: Date,
  timeZone: string,
  locale: string,
  options: Intl.DateTimeFormatOptions,
): Partial<Record<Intl.DateTimeFormatPartTypes, string>> {
  const parts = formatterFor(timeZone, locale, options).formatToParts(moment);
  return Object.fromEntries(parts.map(({ type, value }) => [type, value]));
}

function formatterFor(timeZone: string, locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${timeZone} ${locale} ${options.month}`;
  const known = formatters.get(key);
  if (known) return known;
  const made = makeFormatter(timeZone, locale, options);
  if (formatters.size >= MAX_FORMATTERS) formatters.clear();
  formatters.set(key, made);
  return made;
}

function makeFormatter(timeZone: string, locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    Intl.getCanonicalLocales(locale);
  } catch {
    throw new ToolError(
      'ParameterValidationError',
      `'${locale}' is not a language tag: use one such as en, de or pt-BR`,
    );
  }
  try {
    return new Intl.DateTimeFormat(locale, { timeZone, ...options });
  } catch {
    const suggestion = didYouMean(timeZone, Intl.supportedValuesOf('timeZone'));
    const hint = suggestion ? `, did you mean '${suggestion}'?` : ': use an IANA name such as Europe/Berlin';
    throw new ToolError('ParameterValidationError', `Unknown time zone '${timeZone}'${hint}`);
  }
}
