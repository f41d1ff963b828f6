import { ToolError } from '@errand/contracts';
import { momentAt, utc, wallTime } from './zoned-time.js';

/** In ms. */
export const UNITS = {
  milliseconds: 1,
  seconds: 1_000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
  weeks: 604_800_000,
};

interface Amounts {
  years: number;
  months: number;
  weeks: number;
  days: number;
  hours: number;
  minutes: number;
  seconds: number;
}

/**
 * Adds calendar units in the time zone, largest unit first, then exact time, like Temporal.
 * @throws ParameterValidationError outside the years 1 to 9999
 */
export function addToTime(moment: Date, amounts: Amounts, timeZone: string): Date {
  const { years, months, weeks, days, hours, minutes, seconds } = amounts;
  const exact = hours * UNITS.hours + minutes * UNITS.minutes + seconds * UNITS.seconds;
  // Without calendar units the local clock is not used: an hour that occurs twice would be ambiguous.
  if (years === 0 && months === 0 && weeks === 0 && days === 0) return within(moment.getTime() + exact);
  const wall = addMonths(wallTime(moment, timeZone), years * 12 + months) + (weeks * 7 + days) * UNITS.days;
  return within(momentAt(within(wall).getTime(), timeZone).getTime() + exact);
}

function within(ms: number): Date {
  if (ms >= utc(1, 1, 1) && ms < utc(10_000, 1, 1)) return new Date(ms);
  throw new ToolError('ParameterValidationError', 'the new time must be in the years 1 to 9999');
}

/** A day after the end of the month becomes the last day of the month. */
function addMonths(wall: number, months: number): number {
  const date = new Date(wall);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1 + months, date.getUTCDate()];
  const lastDay = new Date(utc(year, month + 1, 0)).getUTCDate();
  return utc(year, month, Math.min(day, lastDay)) + (wall - utc(year, date.getUTCMonth() + 1, day));
}
