import type { Json } from '@errand/contracts';
import { betweenCommas, type SourceNode } from './source-node.js';

/** The value of a literal expression; undefined if it has to be computed. */
export function valueOf(expression: SourceNode | undefined): Json | undefined {
  switch (expression?.kind) {
    case 'null':
      return null;
    case 'BooleanLiteral':
      return expression.text === 'true';
    case 'Number':
      return numberOf(expression.text);
    case 'LiteralType':
    case 'UnaryExpression': {
      const value = valueOf(expression.children().at(-1));
      return typeof value === 'number' && expression.text.startsWith('-') ? -value : undefined;
    }
    case 'String':
      return textOf(expression.text);
    case 'TemplateString':
      return expression.child('Interpolation') ? undefined : textOf(expression.text);
    case 'ArrayExpression': {
      const items = betweenCommas(expression).map(([item]) => valueOf(item));
      return items.every((item) => item !== undefined) ? items : undefined;
    }
    case 'ObjectExpression':
      return objectOf(expression);
    default:
      return undefined;
  }
}

function objectOf(expression: SourceNode): Json | undefined {
  const entries = expression.all('Property').map((property) => {
    const name = property.child('PropertyDefinition', 'String');
    const value = valueOf(property.children().at(-1));
    const key = name?.kind === 'String' ? textOf(name.text) : name?.text;
    return key === undefined || value === undefined ? undefined : ([key, value] as const);
  });
  const known = entries.filter((entry) => entry !== undefined);
  return known.length === entries.length && !expression.child('Spread') ? Object.fromEntries(known) : undefined;
}

function numberOf(text: string): number | undefined {
  const value = Number(text.replaceAll('_', ''));
  return Number.isFinite(value) ? value : undefined;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  '0': '\0',
  '\n': '',
};

function textOf(literal: string): string {
  return literal
    .slice(1, -1)
    .replace(/\\(?:x([\da-f]{2})|u\{([\da-f]+)\}|u([\da-f]{4})|([^]))/gi, (_all, x, braced, u, char) => {
      const code = x ?? braced ?? u;
      if (code !== undefined) return String.fromCodePoint(Math.min(parseInt(String(code), 16), 0x10ffff));
      return ESCAPES[String(char)] ?? String(char);
    });
}
