import type { Call, Json } from '@errand/contracts';
import { DIALECTS, ESCAPE, type Dialect, type DialectName } from './dialects.js';
import { KEY } from './scan-marks.js';

/**
 * A block of a TAM dialect that parses to these calls, given tools whose schemas name the types; several calls are a chain.
 * A value with marks in it is written between escaped ones.
 * @throws Error for a value that holds `「末ESCAPE」` and for a name that is no key: no dialect can carry these
 */
export function writeTam(calls: readonly Call[], name: DialectName = 'tam'): string {
  const dialect = DIALECTS[name];
  const fields = calls.flatMap(({ toolId, arguments: args }, index) => {
    const number = calls.length > 1 ? `${dialect.separator}${index + 1}` : '';
    return [
      writeField(dialect.command + number, toolId, dialect),
      ...Object.entries(args).map(([key, value]) => writeField(key + number, textOf(value), dialect)),
    ];
  });
  return [dialect.blockStart, fields.join(',\n'), dialect.blockEnd].join('\n');
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function writeField(key: string, value: string, dialect: Dialect): string {
  if (!KEY.test(key)) throw new Error(`'${key}' is no key of a TAM block: only letters, digits and _ are`);
  if (value.includes(ESCAPE.close))
    throw new Error(`The value of '${key}' holds ${ESCAPE.close}, which no TAM block can carry`);
  const { open, close } = isPlain(value, dialect) ? dialect : ESCAPE;
  return `${key}:${open}${value}${close}`;
}

/** No mark of any kind inside, and no end that runs on into the closing mark. */
function isPlain(value: string, { open, close }: Dialect): boolean {
  return (
    ![open, close, ESCAPE.open].some((mark) => value.includes(mark)) &&
    !value.endsWith(close[0]!) &&
    !value.startsWith(open[0]!)
  );
}
