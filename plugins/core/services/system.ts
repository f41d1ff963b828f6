import { didYouMean, ToolError, type JsonObject, type ServiceType } from '@errand/contracts';
import { asText } from '../nodes/as-text.js';

export const system: ServiceType = {
  name: 'system',
  methods: { getCurrentTime: (args) => currentTime(args, new Date()) },
};

/**
 * The time as text. `timezone`: an IANA name, UTC by default. `format`: `iso` (the default, with the zone's offset), `unix`
 * (seconds), or a pattern of YYYY, MM, DD, HH, mm, ss.
 * @throws ParameterValidationError for an unknown time zone or a format without any of these
 */
export function currentTime({ timezone = 'UTC', format = 'iso' }: JsonObject, now: Date): string {
  if (format === 'unix') return String(Math.floor(now.getTime() / 1000));
  const parts = partsOf(asText(timezone), now);
  const pattern = format === 'iso' ? 'YYYY-MM-DDTHH:mm:ssZ' : asText(format);
  const text = pattern.replaceAll(/YYYY|MM|DD|HH|mm|ss|Z/g, (token) => parts[token]!);
  if (text !== pattern) return text;
  const ways = "'iso', 'unix' or a pattern such as 'YYYY-MM-DD HH:mm:ss'";
  throw new ToolError('ParameterValidationError', `'format' must be ${ways}, got '${pattern}'`);
}

function partsOf(timezone: string, now: Date): Record<string, string> {
  const parts = new Map(
    formatIn(timezone)
      .formatToParts(now)
      .map(({ type, value }) => [type, value]),
  );
  const offset = parts.get('timeZoneName')!.replace('GMT', '');
  return {
    YYYY: parts.get('year')!,
    MM: parts.get('month')!,
    DD: parts.get('day')!,
    HH: parts.get('hour')!,
    mm: parts.get('minute')!,
    ss: parts.get('second')!,
    Z: offset === '' || offset === '+00:00' ? 'Z' : offset,
  };
}

function formatIn(timezone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      timeZoneName: 'longOffset',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  } catch {
    const suggestion = didYouMean(timezone, Intl.supportedValuesOf('timeZone'));
    const hint = suggestion ? `, did you mean '${suggestion}'?` : ': use an IANA name such as Europe/Berlin';
    throw new ToolError('ParameterValidationError', `Unknown time zone '${timezone}'${hint}`);
  }
}
