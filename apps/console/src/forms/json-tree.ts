/** A value of a JSON text, with its place in the text: `text.slice(from, to)` is the value as it was typed. */
export type JsonNode = { from: number; to: number } & (
  | { kind: 'object'; members: readonly JsonMember[] }
  | { kind: 'array'; items: readonly JsonNode[] }
  | { kind: 'string'; value: string }
  | { kind: 'number' | 'null' }
  | { kind: 'boolean'; value: boolean }
);

export interface JsonMember {
  key: string;
  /** Where the key begins. */
  from: number;
  value: JsonNode;
}

/** A step from a value to a part of it: the key of a member or the number of an item. */
export type JsonPath = readonly (string | number)[];

/** The text is no JSON. `position` counts characters from 0. */
export class BrokenJson extends Error {
  constructor(
    problem: string,
    readonly position: number,
    text: string,
  ) {
    const before = text.slice(0, position).split('\n');
    super(`Line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${problem}`);
    this.name = 'BrokenJson';
  }
}

const MOST_LEVELS = 200;
const BLANKS = /[\t\n\r ]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// oxlint-disable-next-line no-control-regex
const STRING = /"(?:[^"\\\u0000-\u001F]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/y;

/** Whether a text is a JSON number, such as `1.0` or `-2e400`. */
export function isJsonNumber(text: string): boolean {
  NUMBER.lastIndex = 0;
  return NUMBER.exec(text)?.[0].length === text.length && text !== '';
}

/** Reads a JSON text. Numbers stay as they were typed. @throws BrokenJson */
export function parseTree(text: string): JsonNode {
  const reader = new TreeReader(text);
  const root = reader.readValue(0);
  reader.requireEnd();
  return root;
}

class TreeReader {
  private at = 0;

  constructor(private readonly text: string) {
    this.match(BLANKS);
  }

  requireEnd(): void {
    if (this.at < this.text.length) this.fail('the value ends before this; remove what follows');
  }

  /** Reads a value and the blanks behind it. */
  readValue(level: number): JsonNode {
    if (level > MOST_LEVELS) this.fail(`values may be nested ${MOST_LEVELS} levels deep`);
    const from = this.at;
    const node = this.readFrom(from, level);
    this.match(BLANKS);
    return node;
  }

  private readFrom(from: number, level: number): JsonNode {
    const first = this.text[from];
    if (first === '{') return { kind: 'object', members: this.readMembers(level), from, to: this.at };
    if (first === '[') return { kind: 'array', items: this.readItems(level), from, to: this.at };
    if (first === '"') return { kind: 'string', value: this.readString(), from, to: this.at };
    if (this.match(NUMBER) !== undefined) return { kind: 'number', from, to: this.at };
    for (const word of ['true', 'false', 'null'] as const) {
      if (!this.text.startsWith(word, from)) continue;
      this.at += word.length;
      return word === 'null'
        ? { kind: 'null', from, to: this.at }
        : { kind: 'boolean', value: word === 'true', from, to: this.at };
    }
    return this.fail(first === undefined ? 'a value is missing' : 'no JSON value begins like this');
  }

  private readMembers(level: number): JsonMember[] {
    const members: JsonMember[] = [];
    this.readList('}', () => {
      const from = this.at;
      if (this.text[from] !== '"') this.fail('a key in double quotes is missing');
      const key = this.readString();
      this.match(BLANKS);
      this.take(':');
      members.push({ key, from, value: this.readValue(level + 1) });
    });
    return members;
  }

  private readItems(level: number): JsonNode[] {
    const items: JsonNode[] = [];
    this.readList(']', () => void items.push(this.readValue(level + 1)));
    return items;
  }

  /** Reads parts between commas up to a closing bracket. */
  private readList(close: string, readPart: () => void): void {
    this.at += 1;
    this.match(BLANKS);
    if (this.text[this.at] !== close) {
      readPart();
      while (this.text[this.at] === ',') {
        this.take(',');
        readPart();
      }
    }
    if (this.text[this.at] !== close) this.fail(`a comma or ${close} is missing`);
    this.at += 1;
  }

  private readString(): string {
    const found = this.match(STRING);
    return found === undefined ? this.fail('this text has no end, or a wrong escape') : (JSON.parse(found) as string);
  }

  private take(sign: string): void {
    if (this.text[this.at] !== sign) this.fail(`${sign} is missing`);
    this.at += 1;
    this.match(BLANKS);
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private fail(problem: string): never {
    throw new BrokenJson(problem, this.at, this.text);
  }
}

/** The last member with a key, as readers of JSON take it. */
export function memberOf(node: JsonNode | undefined, key: string): JsonMember | undefined {
  return node?.kind === 'object' ? node.members.findLast((member) => member.key === key) : undefined;
}

/** The value at a path; undefined if there is none. */
export function nodeAt(root: JsonNode | undefined, path: JsonPath): JsonNode | undefined {
  let node = root;
  for (const part of path) {
    if (typeof part === 'string') node = memberOf(node, part)?.value;
    else node = node?.kind === 'array' ? node.items[part] : undefined;
  }
  return node;
}
