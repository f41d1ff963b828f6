import type { Call, Json } from '@errand/contracts';
import { DIALECTS, ESCAPE, type Dialect, type DialectName } from './dialects.js';
import { KEY } from './key-spelling.js';

/**
 * Writes calls as a block of a TAM dialect. It parses to the same calls if the schemas of the tools set types. Several
 * calls form a chain. A value that contains marks is written between escaped ones.
 * @throws Error for a value with `「末ESCAPE」` and for a name that is not a key: no dialect can carry these
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
  if (!KEY.test(key)) throw new Error(`'${key}' is not a key of a TAM block; use only letters, digits and _`);
  if (value.includes(ESCAPE.close))
    throw new Error(`The value of '${key}' contains ${ESCAPE.close}, which a TAM block cannot carry`);
  const { open, close } = isPlain(value, dialect) ? dialect : ESCAPE;
  return `${key}:${open}${value}${close}`;
}

/** Whether the value contains no mark, and its ends do not merge with the marks. */
function isPlain(value: string, { open, close }: Dialect): boolean {
  return (
    ![open, close, ESCAPE.open].some((mark) => value.includes(mark)) &&
    !value.endsWith(close.charAt(0)) &&
    !value.startsWith(open.charAt(0))
  );
}
