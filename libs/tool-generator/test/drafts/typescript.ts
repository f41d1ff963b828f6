import type { DraftCase } from './draft-case.js';

export const TYPESCRIPT: Record<string, DraftCase> = {
  'positions and JSDoc': {
    file: 'shorten.ts',
    source: `
/**
 * Shortens a text.
 *
 * @param text - The text
 * @param length how long it may be
 * @param {string} ellipsis - ignored type, for it has one
 * @returns the short text
 */
export function shorten(text: string, length = 80, ellipsis?: string): string { return text; }
`,
    properties: {
      text: { type: 'string', description: 'The text' },
      length: { type: 'integer', default: 80, description: 'how long it may be' },
      ellipsis: { type: 'string', description: 'ignored type, for it has one' },
    },
    required: ['text'],
    more: { description: 'Shortens a text. Returns the short text.', output: { type: 'string' } },
  },
  'an interface of options': {
    file: 'fetch.ts',
    source: `
interface Paging { /** How many on a page */ size?: number }
export interface Options extends Paging {
  /** The text to search for. */
  query: string;
  order?: 'asc' | 'desc';
  // from this one on
  after?: string | null;
  tags: readonly string[];
  filters?: Record<string, boolean>;
}
/** Looks for things. */
export default async function (options: Options): Promise<{ found: number }> { return { found: 0 }; }
`,
    properties: {
      size: { type: 'number', description: 'How many on a page' },
      query: { type: 'string', description: 'The text to search for.' },
      order: { type: 'string', enum: ['asc', 'desc'] },
      after: { type: ['string', 'null'], description: 'from this one on' },
      tags: { type: 'array', items: { type: 'string' } },
      filters: { type: 'object', additionalProperties: { type: 'boolean' } },
    },
    required: ['query', 'tags'],
    more: {
      toolId: 'my:fetch',
      output: {
        type: 'object',
        properties: { found: { type: 'number' } },
        required: ['found'],
        additionalProperties: false,
      },
    },
  },
  'a pattern with defaults': {
    file: 'pattern.ts',
    source: `
type Input = { text: string; times?: number; mode?: Mode };
type Mode = 'up' | 'down';
export const pattern = async ({ text, times = 2, mode = 'up' }: Input) => text.repeat(times);
`,
    properties: {
      text: { type: 'string' },
      times: { type: 'number', default: 2 },
      mode: { type: 'string', enum: ['up', 'down'], default: 'up' },
    },
    required: ['text'],
  },
  'every kind of type': {
    file: 'kinds.ts',
    source: `
enum Colour { Red = 'red', Blue = 'blue' }
enum Level { Low, High = 5, Higher }
export function kinds(a: Array<number>, b: [string, number], c: Colour, d: Level, e: 1 | -2 | null, f: unknown, g: (string | number)[],
  h: Partial<{ x: boolean; y: string }>, i: { [key: string]: number }, j: { a: string } & { b: number }, k: bigint, ...rest: string[]) {}
`,
    properties: {
      a: { type: 'array', items: { type: 'number' } },
      b: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false, minItems: 2 },
      c: { type: 'string', enum: ['red', 'blue'] },
      d: { type: 'integer', enum: [0, 5, 6] },
      e: { type: ['integer', 'null'], enum: [1, -2, null] },
      f: {},
      g: { type: 'array', items: { type: ['string', 'number'] } },
      h: { type: 'object', properties: { x: { type: 'boolean' }, y: { type: 'string' } }, additionalProperties: false },
      i: { type: 'object', properties: {}, additionalProperties: { type: 'number' } },
      j: {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'number' } },
        required: ['a', 'b'],
        additionalProperties: false,
      },
      k: {},
      rest: { type: 'array', items: { type: 'string' } },
    },
    required: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'],
  },
  'JavaScript with JSDoc types': {
    file: 'area.js',
    source: `
/**
 * The area of a room.
 * @param {number} width in metres
 * @param {?number} [depth=4] in metres
 * @param {string[]} [names] of who lives there
 * @param {'m2'|'ft2'} unit
 * @param {Object<string, number>=} more
 * @return {Promise<number>} the area
 */
async function area(width, depth = 4, names, unit, more) {}
module.exports = { area };
`,
    properties: {
      width: { type: 'number', description: 'in metres' },
      depth: { type: ['number', 'null'], default: 4, description: 'in metres' },
      names: { type: 'array', items: { type: 'string' }, description: 'of who lives there' },
      unit: { type: 'string', enum: ['m2', 'ft2'] },
      more: { type: 'object', additionalProperties: { type: 'number' } },
    },
    required: ['width', 'unit'],
    more: { description: 'The area of a room. Returns the area.', output: { type: 'number' } },
  },
  'JSDoc of the properties of one object': {
    file: 'book.js',
    source: `
/**
 * Books a table.
 * @param {Object} request
 * @param {string} request.name who comes
 * @param {number} [request.guests] how many
 */
export function book(request) {}
`,
    properties: {
      name: { type: 'string', description: 'who comes' },
      guests: { type: 'number', description: 'how many' },
    },
    required: ['name'],
  },
  'a default export by name': {
    file: 'late.ts',
    source: 'function helper(a: string) {}\nfunction late(b: number) {}\nexport { helper };\nexport default late;',
    properties: { b: { type: 'number' } },
    required: ['b'],
  },
  'Bun.stdin with a type': {
    file: 'slug.ts',
    source: `/** Makes a slug. */\nconst { title }: { title: string } = await Bun.stdin.json();\nconsole.log(JSON.stringify(title));`,
    properties: { title: { type: 'string' } },
    required: ['title'],
    more: { description: 'Makes a slug.', toolId: 'my:slug' },
  },
  'a cast, and text that is parsed later': {
    file: 'cast.ts',
    source: `
import { readFileSync } from 'node:fs';
interface Input { a: number; b?: string }
const text = readFileSync(0, 'utf8');
const input = JSON.parse(text) as Input;
`,
    properties: { a: { type: 'number' }, b: { type: 'string' } },
    required: ['a'],
  },
  'names that are destructured from the input': {
    file: 'names.js',
    source: `
const input = JSON.parse(require('fs').readFileSync('/dev/stdin', 'utf8'));
const { mode = 'fast' } = await Bun.stdin.json();
console.log(JSON.stringify(input.text + (input.lang ?? 'en')));
`,
    properties: { mode: { type: 'string', default: 'fast' }, text: {}, lang: {} },
    required: ['text'],
    more: { parameters: { additionalProperties: true } },
  },
  'a function that gets the input': {
    file: 'handed.ts',
    source: `
interface Args { n: number }
export async function main(args: Args) {}
await main(await Bun.stdin.json());
`,
    properties: { n: { type: 'number' } },
    required: ['n'],
  },
  'a function whose result is printed': {
    file: 'printed.ts',
    source: `
interface Args {
  n: number; // how many
  deep?: boolean; // whether to look
  // what for
  why?: string;
}
/** Counts. */
async function main(args: Args): Promise<number> { return args.n; }
const counted = await main(JSON.parse(await Bun.stdin.text()) as Args);
console.log(JSON.stringify(counted));
`,
    properties: {
      n: { type: 'number', description: 'how many' },
      deep: { type: 'boolean', description: 'whether to look' },
      why: { type: 'string', description: 'what for' },
    },
    required: ['n'],
    more: { description: 'Counts.', output: { type: 'number' } },
  },
};
