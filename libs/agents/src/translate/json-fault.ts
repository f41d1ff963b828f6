import { isInexact, MAX_DEPTH } from '@errand/contracts';

/** The first fault of a JSON text, with its place (1-based; columns count UTF-16 code units). */
export interface JsonFault {
  message: string;
  line: number;
  column: number;
}

/** The next token that the grammar of JSON allows. */
type Expected = 'a value' | 'a value or ]' | 'a key' | 'a key or }' | ':' | ', or ]' | ', or }' | 'the end';

const BLANKS = /[ \t\n\r]*/y;
// oxlint-disable-next-line no-control-regex -- JSON strings must escape exactly these
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\d.eE+-])|(?:true|false|null)(?![\w$])/y;

/**
 * Finds the first fault of a JSON text; undefined if it is valid. Two losses that `JSON.parse` ignores are faults, too: a key that an
 * object has twice, and a number that a double cannot hold. Time is linear, and nesting needs no recursion.
 */
export function findJsonFault(text: string): JsonFault | undefined {
  const fault = new JsonScanner(text).scan();
  if (!fault) return undefined;
  const before = text.slice(0, fault.offset);
  const line = before.split('\n').length;
  return { message: fault.message, line, column: fault.offset - before.lastIndexOf('\n') };
}

interface FaultAt {
  offset: number;
  message: string;
}

class JsonScanner {
  private at = 0;
  private expected: Expected = 'a value';
  /** The keys of each open object; null for a list. */
  private readonly open: (Set<string> | null)[] = [];

  constructor(private readonly text: string) {}

  scan(): FaultAt | undefined {
    for (;;) {
      this.skip(BLANKS);
      if (this.at >= this.text.length)
        return this.expected === 'the end' ? undefined : this.fault(`The text ends where ${this.expected} must follow`);
      const fault = this.readToken(this.text.charAt(this.at));
      if (fault) return fault;
    }
  }

  private readToken(char: string): FaultAt | undefined {
    const { expected } = this;
    if (expected.startsWith('a value') && char !== ']') return this.readValue(char);
    if (expected.startsWith('a key') && char === '"') return this.readKey();
    if (char === ':' && expected === ':') return this.step('a value');
    if (char === ',' && expected.startsWith(',')) return this.step(this.open.at(-1) ? 'a key' : 'a value');
    if ((char === ']' || char === '}') && expected.endsWith(char)) {
      this.open.pop();
      return this.step(this.afterValue());
    }
    return this.unexpected(char);
  }

  private readValue(char: string): FaultAt | undefined {
    if (char === '{' || char === '[') {
      if (this.open.length === MAX_DEPTH) return this.fault(`The text nests deeper than ${MAX_DEPTH} levels`);
      this.open.push(char === '{' ? new Set() : null);
      return this.step(char === '{' ? 'a key or }' : 'a value or ]');
    }
    const start = this.at;
    if (char === '"') {
      const fault = this.readString();
      if (fault) return fault;
    } else {
      const scalar = this.skip(SCALAR);
      if (scalar === '') return this.unexpected(char);
      if (isInexact(scalar))
        return this.fault(
          `The number ${scalar.slice(0, 60)} is too large to be held exactly; write it as a string`,
          start,
        );
    }
    this.expected = this.afterValue();
    return undefined;
  }

  private readKey(): FaultAt | undefined {
    const start = this.at;
    const fault = this.readString();
    if (fault) return fault;
    const key = JSON.parse(this.text.slice(start, this.at)) as string;
    const keys = this.open.at(-1);
    if (keys?.has(key))
      return this.fault(`The key ${JSON.stringify(key.slice(0, 80))} occurs twice in one object`, start);
    keys?.add(key);
    this.expected = ':';
    return undefined;
  }

  private readString(): FaultAt | undefined {
    const start = this.at;
    for (this.at += 1; ;) {
      this.skip(PLAIN);
      const char = this.text.charAt(this.at);
      if (char === '"') {
        this.at += 1;
        return undefined;
      }
      if (char === '') return this.fault('The string that begins here does not end', start);
      if (char !== '\\') return this.fault(`A string must write ${JSON.stringify(char)} with a backslash`);
      if (this.skip(ESCAPE) === '')
        return this.fault(`JSON does not know the escape ${this.text.slice(this.at, this.at + 2)}`);
    }
  }

  /** Takes one character, after which the given token must follow. */
  private step(next: Expected): undefined {
    this.at += 1;
    this.expected = next;
  }

  private afterValue(): Expected {
    const keys = this.open.at(-1);
    if (keys === undefined) return 'the end';
    return keys ? ', or }' : ', or ]';
  }

  private skip(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  private unexpected(char: string): FaultAt {
    const found = JSON.stringify(char);
    return this.fault(
      this.expected === 'the end' ? `Behind the value is ${found}` : `Here must be ${this.expected}, not ${found}`,
    );
  }

  private fault(message: string, offset = this.at): FaultAt {
    return { offset, message };
  }
}
