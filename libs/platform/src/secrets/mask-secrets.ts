import { isObject, ToolError, type Json } from '@errand/contracts';

/** Shorter texts occur by chance, so they are not masked. */
const MIN_LENGTH = 4;
/** The end of a line that may be cut: its last character, or the text before the cut mark. */
const CUT = / … \[line cut\]$|$/;

/** Removes secrets from the output of a run. */
export interface Mask {
  text: (text: string) => string;
  json: (value: Json) => Json;
  error: (error: unknown) => unknown;
}

/**
 * Makes a mask for these secret values. It hides:
 *
 * - each value, and each line of a value with several lines;
 * - their spellings in base64 (at any offset), in hex, in a URL, and inside JSON or Python's `repr`;
 * - the begin of a value at the end of a cut line, in logs and errors.
 *
 * The mask stops accidents. A script that wants to reveal its secret can always find another spelling.
 */
export function maskSecrets(secrets: Readonly<Record<string, string>>): Mask {
  const forms = Object.entries(secrets)
    .flatMap(([name, value]) => spellings(value).map((form) => ({ form, name })))
    .filter(({ form }) => form.length >= MIN_LENGTH)
    // The longest first, because one form can be a part of another.
    .toSorted((a, b) => b.form.length - a.form.length);
  if (forms.length === 0) return { text: (text) => text, json: (value) => value, error: (error) => error };
  const whole = (from: string): string =>
    forms.reduce((masked, { form, name }) => masked.replaceAll(form, `[secret ${name}]`), from);
  const text = (from: string): string => maskCut(whole(from), forms);
  const error = (thrown: unknown): unknown => maskError(thrown, text, (value) => maskJson(value, text));
  return { text, json: (value) => maskJson(value, whole), error };
}

/** Masks the begin of a secret at the end of a line, if it has at least MIN_LENGTH characters. */
function maskCut(text: string, forms: { form: string; name: string }[]): string {
  const begun = forms.filter(({ form }) => text.includes(form.slice(0, MIN_LENGTH)));
  if (begun.length === 0) return text;
  const lines = text.split('\n').map((line) => {
    const end = line.search(CUT);
    for (const { form, name } of begun) {
      const start = startOfEnd(line.slice(0, end), form);
      if (start !== undefined) return `${line.slice(0, start)}[secret ${name}]${line.slice(end)}`;
    }
    return line;
  });
  return lines.join('\n');
}

/** Returns the index from which the rest of the line is the begin of `form`. */
function startOfEnd(line: string, form: string): number | undefined {
  const key = form.slice(0, MIN_LENGTH);
  const first = Math.max(0, line.length - form.length);
  for (let at = line.indexOf(key, first); at >= 0; at = line.indexOf(key, at + 1))
    if (form.startsWith(line.slice(at))) return at;
  return undefined;
}

function spellings(value: string): string[] {
  const plain = [value, ...value.split('\n').map((line) => line.trim())];
  return [...new Set(plain.flatMap((form) => [form, ...encodings(form)]))];
}

function encodings(form: string): string[] {
  const bytes = Buffer.from(form);
  const inBase64 = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // Only the characters that do not depend on the neighbouring bytes.
    const first = offset === 0 ? 0 : offset + 1;
    const last = (offset + bytes.length) % 3 === 0 ? encoded.length : encoded.length - 1;
    return encoded.slice(first, last);
  });
  const inUrl = encodeURIComponent(form);
  const inJson = quoted(form);
  const inAscii = inJson.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return [
    bytes.toString('base64'),
    bytes.toString('base64url'),
    ...inBase64,
    ...inBase64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    inUrl,
    inUrl.replaceAll('%20', '+'),
    inJson,
    inAscii,
    // JSON inside a JSON string.
    quoted(inJson),
    quoted(inAscii),
    form.replaceAll('\\', '\\\\'),
  ];
}

/** The text as it is between the quotation marks of JSON. */
const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The depth was checked when the value was parsed. */
function maskJson(value: Json, text: (from: string) => string): Json {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((item) => maskJson(item, text));
  if (!isObject(value)) return value;
  const masked = Object.entries(value).map(([key, item]) => [text(key), maskJson(item, text)] as const);
  return Object.fromEntries(masked);
}

function maskError(error: unknown, text: (from: string) => string, json: (value: Json) => Json): unknown {
  if (!(error instanceof ToolError)) return error;
  const { type, message, details } = error;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the invocation stores the details as JSON
  const masked = details && (json(JSON.parse(JSON.stringify(details)) as Json) as Record<string, unknown>);
  return new ToolError(type, text(message), masked);
}
