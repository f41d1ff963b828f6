/** Where a text stops being JSON. */
export interface JsonFault {
  /** The number of UTF-16 units before it. */
  position: number;
  /** From 1. */
  line: number;
  column: number;
  /** What is wrong there. Nothing of the text is in it, because the text may hold secrets. */
  reason: string;
}

/** What may come next. */
type Wanted = 'value' | 'first item' | 'key' | 'first key' | 'colon' | 'next' | 'end';

const EXPECTED: Readonly<Record<Wanted, string>> = {
  value: 'a value',
  'first item': 'a value or ]',
  key: 'a key in double quotes',
  'first key': 'a key in double quotes or }',
  colon: 'a colon',
  next: 'a comma or the closing bracket',
  end: 'nothing more',
};

const SIMPLE_VALUE = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const BLANKS = /[ \t\n\r]*/y;
const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']' };
const ESCAPES = '"\\/bfnrt';
const UNICODE_ESCAPE = /u[\da-fA-F]{4}/y;
const FIRST_PRINTABLE = 0x20;

/** Finds where a text stops being JSON (RFC 8259); undefined if all of it is JSON. One pass, without recursion. */
export function findJsonFault(text: string): JsonFault | undefined {
  const open: string[] = [];
  let wanted: Wanted = 'value';
  let at = 0;
  const after = (): Wanted => (open.length === 0 ? 'end' : 'next');
  for (;;) {
    at = matchAt(BLANKS, text, at) ?? at;
    const char: string | undefined = text[at];
    if (char === undefined && wanted === 'end') return undefined;
    const isKey: boolean = wanted === 'key' || wanted === 'first key';
    const isValue: boolean = wanted === 'value' || wanted === 'first item';
    if (char === '"' && (isKey || isValue)) {
      const string = readString(text, at);
      if ('reason' in string) return faultAt(text, string.at, string.reason);
      at = string.end;
      wanted = isKey ? 'colon' : after();
    } else if (isValue && (char === '{' || char === '[')) {
      open.push(char);
      wanted = char === '{' ? 'first key' : 'first item';
      at++;
    } else if (char !== undefined && closes(wanted, char, open.at(-1))) {
      open.pop();
      wanted = after();
      at++;
    } else if (wanted === 'next' && char === ',') {
      wanted = open.at(-1) === '{' ? 'key' : 'value';
      at++;
    } else if (wanted === 'colon' && char === ':') {
      wanted = 'value';
      at++;
    } else {
      const end = isValue ? matchAt(SIMPLE_VALUE, text, at) : undefined;
      if (end === undefined) return faultAt(text, at, expected(wanted, char));
      at = end;
      wanted = after();
    }
  }
}

function closes(wanted: Wanted, char: string, last = ''): boolean {
  return (wanted === 'next' || wanted.startsWith('first')) && CLOSING[last] === char;
}

function expected(wanted: Wanted, char: string | undefined): string {
  return `${EXPECTED[wanted]} is expected${char === undefined ? ', not the end' : ''}`;
}

/** The end of the string that begins at `start`, or what is wrong with it. */
function readString(text: string, start: number): { end: number } | { at: number; reason: string } {
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"') return { end: at + 1 };
    if (char === '\\') {
      const isKnown = ESCAPES.includes(text.charAt(at + 1)) || matchAt(UNICODE_ESCAPE, text, at + 1) !== undefined;
      if (at + 1 < text.length && !isKnown) return { at, reason: 'this escape does not exist in JSON' };
      at++;
    } else if (char.charCodeAt(0) < FIRST_PRINTABLE) {
      return { at, reason: String.raw`a control character in a string must be escaped, a line break as \n` };
    }
  }
  return { at: start, reason: 'the string that begins here has no end' };
}

/** The position behind the match that begins at `at`; undefined without one. */
function matchAt(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function faultAt(text: string, position: number, reason: string): JsonFault {
  const before = text.slice(0, position).split('\n');
  return { position, line: before.length, column: (before.at(-1) ?? '').length + 1, reason };
}
