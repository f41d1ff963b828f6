import type { StoredSlot } from '@errand/contracts';
import { addToTime, UNITS } from './calculate-time.js';
import { defineComputation, defineNode } from './define-node.js';
import { formatTime } from './format-time.js';
import { oneOf } from './one-of.js';
import { readTime } from './read-time.js';

const TIME_ZONE = {
  dataFlowType: 'STRING',
  description: 'The time zone, an IANA name such as Europe/Berlin',
  config: { default: 'UTC' },
} as const satisfies StoredSlot;

const TIME = {
  dataFlowType: 'STRING',
  required: true,
  description: 'The time, ISO 8601: 2026-01-31T09:30:00+01:00, 2026-01-31T09:30:00Z or 2026-01-31',
} as const satisfies StoredSlot;

const AMOUNT = (unit: string) =>
  ({
    dataFlowType: 'INTEGER',
    description: `How many ${unit} to add; negative to go back`,
    config: { default: 0 },
  }) as const satisfies StoredSlot;

export const now = defineNode({
  type: 'core:now',
  displayName: 'Now',
  effects: 'none',
  description: 'Returns the current date and time, ISO 8601, in UTC or a time zone.',
  inputs: { timeZone: TIME_ZONE },
  outputs: { time: { dataFlowType: 'STRING', description: 'The time, such as 2026-01-31T09:30:00Z' } },
  bypassBehavior: {},
  run: ({ timeZone }) => ({ time: formatTime(new Date(), 'iso', timeZone) }),
});

export const timeFormat = defineComputation({
  type: 'core:time-format',
  displayName: 'Format time',
  description: 'Writes a time as text, in any time zone, format and language.',
  inputs: {
    time: TIME,
    format: {
      dataFlowType: 'STRING',
      description:
        'iso, unix (seconds), unix-ms, or a pattern of YYYY, MM, DD, HH, mm, ss, SSS, Z, MMMM and MMM (names of the month), dddd and ddd (of the day); text in [brackets] stays',
      config: { default: 'iso' },
    },
    timeZone: TIME_ZONE,
    locale: { dataFlowType: 'STRING', description: 'The language of names: en, de, pt-BR', config: { default: 'en' } },
  },
  outputs: { text: { dataFlowType: 'STRING', description: 'The time as text' } },
  compute: ({ time, format, timeZone, locale }) => ({
    text: formatTime(readTime(time, timeZone), format, timeZone, locale),
  }),
});

export const timeParse = defineComputation({
  type: 'core:time-parse',
  displayName: 'Parse time',
  description: 'Reads a time in another format and returns it as ISO 8601 in UTC.',
  inputs: {
    text: { dataFlowType: 'STRING', required: true, description: 'The time as text' },
    format: {
      dataFlowType: 'STRING',
      description:
        'iso, unix (seconds), unix-ms, or a pattern of YYYY, MM, DD, HH, mm, ss, SSS and Z, such as DD.MM.YYYY HH:mm',
      config: { default: 'iso' },
    },
    timeZone: { ...TIME_ZONE, description: 'The time zone of a time without an offset, an IANA name' },
  },
  outputs: { time: { dataFlowType: 'STRING', description: 'The time, such as 2026-01-31T09:30:00Z' } },
  compute: ({ text, format, timeZone }) => ({
    time: formatTime(readTime(text, timeZone, format, 'text'), 'iso', 'UTC'),
  }),
});

export const timeAdd = defineComputation({
  type: 'core:time-add',
  displayName: 'Add to time',
  description:
    'Adds to a time or subtracts from it. Years, months, weeks and days follow the calendar of the time zone (January 31 plus a month is the last of February; a day may have 23 hours). Hours, minutes and seconds are exact.',
  inputs: {
    time: TIME,
    years: AMOUNT('years'),
    months: AMOUNT('months'),
    weeks: AMOUNT('weeks'),
    days: AMOUNT('days'),
    hours: AMOUNT('hours'),
    minutes: AMOUNT('minutes'),
    seconds: AMOUNT('seconds'),
    timeZone: TIME_ZONE,
  },
  outputs: { time: { dataFlowType: 'STRING', description: 'The new time, in that time zone' } },
  compute: ({ time, timeZone, ...amounts }) => ({
    time: formatTime(addToTime(readTime(time, timeZone), amounts, timeZone), 'iso', timeZone),
  }),
});

export const timeDifference = defineComputation({
  type: 'core:time-difference',
  displayName: 'Time difference',
  description:
    'Returns the time from one time to another in a unit, with fractions. It is negative if the second time is earlier.',
  inputs: {
    from: { ...TIME, description: 'The first time, ISO 8601' },
    to: { ...TIME, description: 'The second time, ISO 8601' },
    unit: {
      dataFlowType: 'STRING',
      description: 'The unit; a day has 24 hours here, a week seven such days',
      matchCategories: ['ComboOption'],
      config: { default: 'seconds', suggestions: Object.keys(UNITS) },
    },
  },
  outputs: { difference: { dataFlowType: 'FLOAT', description: 'How many units' } },
  bypassBehavior: {},
  compute({ from, to, unit }) {
    const [start, end] = [readTime(from, 'UTC', 'iso', 'from'), readTime(to, 'UTC', 'iso', 'to')];
    return { difference: (end.getTime() - start.getTime()) / oneOf(UNITS, 'unit', unit) };
  },
});
