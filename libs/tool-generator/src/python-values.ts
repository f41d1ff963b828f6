import type { Json } from '@errand/contracts';
import { betweenCommas, type SourceNode } from './source-node.js';

/** The value of a literal expression; undefined if it has to be computed. */
export function valueOf(expression: SourceNode | undefined): Json | undefined {
  switch (expression?.kind) {
    case 'None':
      return null;
    case 'Boolean':
      return expression.text === 'True';
    case 'Number':
      return numberOf(expression.text);
    case 'UnaryExpression': {
      const value = valueOf(expression.children().at(-1));
      return typeof value === 'number' && expression.text.startsWith('-') ? -value : undefined;
    }
    case 'String':
    case 'ContinuedString':
      return stringOf(expression);
    case 'ArrayExpression':
    case 'TupleExpression':
      return all(betweenCommas(expression).map(([item]) => valueOf(item)));
    case 'DictionaryExpression':
      return dictionaryOf(expression);
    case 'ParenthesizedExpression':
      return valueOf(expression.children()[1]);
    default:
      return undefined;
  }
}

/** The text of a string literal, or of adjacent ones; undefined for an f-string or bytes. */
export function stringOf(literal: SourceNode): string | undefined {
  if (literal.kind === 'ContinuedString') {
    const parts = all(literal.children().map(stringOf));
    return parts?.join('');
  }
  const [, prefix = '', quote, body = ''] = /^([a-zA-Z]*)("""|'''|"|')([^]*)\2$/.exec(literal.text) ?? [];
  if (quote === undefined || /[fb]/i.test(prefix)) return undefined;
  return /r/i.test(prefix) ? body : unescape(body);
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\n': '',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
};

function unescape(body: string): string {
  return body.replace(
    /\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|([0-7]{1,3})|([^]))/gi,
    (_all, x, u, wide, octal, char) => {
      const code = x ?? u ?? wide;
      if (code !== undefined) return String.fromCodePoint(Math.min(parseInt(String(code), 16), 0x10ffff));
      if (octal !== undefined) return String.fromCharCode(parseInt(String(octal), 8));
      return ESCAPES[String(char)] ?? ('\\\'"'.includes(String(char)) ? String(char) : `\\${String(char)}`);
    },
  );
}

function numberOf(text: string): number | undefined {
  const value = Number(text.replaceAll('_', ''));
  return Number.isFinite(value) ? value : undefined;
}

function dictionaryOf(expression: SourceNode): Json | undefined {
  const entries = betweenCommas(expression).map(([key, , value]) => {
    const name = key && valueOf(key);
    const literal = valueOf(value);
    return typeof name === 'string' && literal !== undefined ? ([name, literal] as const) : undefined;
  });
  const known = all(entries);
  return known && Object.fromEntries(known);
}

function all<T>(values: readonly (T | undefined)[]): T[] | undefined {
  return values.every((value) => value !== undefined) ? [...values] : undefined;
}
