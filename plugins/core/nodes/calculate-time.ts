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
 * First the calendar as it hangs in the time zone, largest unit first, then exact time, as Temporal does.
 * @throws ParameterValidationError outside of the years 1 to 9999
 */
export function addToTime(moment: Date, amounts: Amounts, timeZone: string): Date {
  const { years, months, weeks, days, hours, minutes, seconds } = amounts;
  const exact = hours * UNITS.hours + minutes * UNITS.minutes + seconds * UNITS.seconds;
  // Without calendar units the clock is not asked: at an hour that comes twice it does not say which one is meant.
  if (years === 0 && months === 0 && weeks === 0 && days === 0) return within(moment.getTime() + exact);
  const wall = addMonths(wallTime(moment, timeZone), years * 12 + months) + (weeks * 7 + days) * UNITS.days;
  return within(momentAt(within(wall).getTime(), timeZone).getTime() + exact);
}

function within(ms: number): Date {
  if (ms >= utc(1, 1, 1) && ms < utc(10_000, 1, 1)) return new Date(ms);
  throw new ToolError('ParameterValidationError', 'the new time must lie in the years 1 to 9999');
}

/** A day that the month does not have becomes its last one. */
function addMonths(wall: number, months: number): number {
  const date = new Date(wall);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1 + months, date.getUTCDate()];
  const lastDay = new Date(utc(year, month + 1, 0)).getUTCDate();
  return utc(year, month, Math.min(day, lastDay)) + (wall - utc(year, date.getUTCMonth() + 1, day));
}
