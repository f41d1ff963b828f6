import type { JsonObject, ServiceType } from '@errand/contracts';
import { asText } from '../nodes/as-text.js';
import { formatTime } from '../nodes/format-time.js';

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
  return formatTime(now, asText(format), asText(timezone));
}
