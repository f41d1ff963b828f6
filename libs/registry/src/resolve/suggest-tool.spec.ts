import { parse, validateTemplatedArguments as validateCall } from '@errand/protocol';
import type { JsonObject, JsonSchema } from '@errand/contracts';
import { toolLookupOf } from './tool-lookup.js';
import { ToolNames } from './resolve-name.js';

const PARAMETERS: JsonSchema = {
  type: 'object',
  properties: {
    query: { type: 'string' },
    limit: { type: 'integer', default: 10 },
    options: {
      type: 'object',
      default: {},
      additionalProperties: false,
      properties: { depth: { type: 'integer', default: 3 }, follow_links: { type: 'boolean' } },
    },
    address: {
      type: 'object',
      properties: { street: { type: 'string' }, country: { type: 'string' } },
      required: ['country'],
    },
    lines: {
      type: 'array',
      items: {
        type: 'object',
        properties: { product: { type: 'string' }, amount: { type: 'integer', default: 1 } },
        required: ['product'],
        additionalProperties: false,
      },
    },
  },
  required: ['query'],
};
const book = toolLookupOf([{ toolId: 'kb:search', parameters: PARAMETERS }, { toolId: 'workflow:summarize_text' }]);
const tool = book.find('kb:search')!;

/** Each problem as `path: suggestion`. */
const suggested = (args: JsonObject) =>
  validateCall(book, tool, args).problems.map(({ path, suggestion }) => `${path}: ${suggestion}`);

const CASES: [what: string, args: JsonObject, expected: string[]][] = [
  ['a parameter with a default', { query: 'x', limt: 5 }, ['/limt: limit']],
  ['a parameter with a default in capitals', { query: 'x', LIMIT: 5 }, ['/LIMIT: limit']],
  ['a parameter that is also given', { query: 'x', limit: 1, limt: 5 }, ['/limt: undefined']],
  ['a required parameter', { qery: 'x' }, ['/qery: query']],
  ['a nested name with a default', { query: 'x', options: { dept: 5 } }, ['/options/dept: options.depth']],
  ['a nested name', { query: 'x', options: { followLinks: true } }, ['/options/followLinks: options.follow_links']],
  [
    'a nested name that the schema allows',
    { query: 'x', address: { contry: 'DE' } },
    ['/address/contry: address.country'],
  ],
  [
    'a name in a list',
    { query: 'x', lines: [{ product: 'a' }, { prodct: 'b' }] },
    ['/lines/1/prodct: lines[1].product'],
  ],
  [
    'a name with a default in a list',
    { query: 'x', lines: [{ product: 'a', amont: 2 }] },
    ['/lines/0/amont: lines[0].amount'],
  ],
  ['a nested name at the top level', { query: 'x', depth: 5 }, ['/depth: options.depth']],
  ['a misspelt nested name at the top level', { query: 'x', contry: 'DE' }, ['/contry: address.country']],
  ['a misspelt path', { query: 'x', 'options.dept': 5 }, ['/options.dept: options.depth']],
  ['an unknown name', { query: 'x', zzzzzz: 5 }, ['/zzzzzz: undefined']],
];

describe('Suggestions for unknown parameters', () => {
  it.each(CASES)('The expected suggestion is given for %s', (_what, args, expected) => {
    expect(suggested(args)).toEqual(expected);
  });

  it.each(CASES.filter(([, args]) => !JSON.stringify(args).includes('.')))(
    'The expected suggestion is given for %s in an ACTION block',
    (_what, args, expected) => {
      const write = (value: unknown): string => {
        if (Array.isArray(value)) return value.map((item) => `<item>${write(item)}</item>`).join('');
        if (typeof value !== 'object' || value === null) return String(value);
        return Object.entries(value)
          .map(([name, inner]) => `<${name}>${write(inner)}</${name}>`)
          .join('');
      };
      const { errors, observation } = parse(`<ACTION><kb:search>${write(args)}</kb:search></ACTION>`, { tools: book });
      expect(errors.map(({ path, suggestion }) => `${path}: ${suggestion}`)).toEqual(expected);
      const [, meant] = expected[0]!.split(': ');
      if (meant !== 'undefined') expect(observation).toContain(`did you mean '${meant}'?`);
    },
  );

  it('A misspelt parameter with a default gets a suggestion in a TAM block', () => {
    const text = '<|[REQUEST_TOOL]|>command:「始」kb:search「末」,query:「始」x「末」,limt:「始」5「末」<|[END_TOOL]|>';
    expect(parse(text, { tools: book }).observation).toContain("Unknown parameter 'limt', did you mean 'limit'?");
  });

  it('The problem of a dotted path names the object that contains the parameter', () => {
    const [problem] = validateCall(book, tool, { query: 'x', 'options.depth': 5 }).problems;
    expect(problem!.message).toBe("Unknown parameter 'options.depth': 'options' is what holds it");
  });
});

describe('Suggestions for unknown tools', () => {
  const ids = [
    'workflow:summarize_text',
    'workflow:translate',
    'kb:search',
    'web:search',
    'core:echo',
    'docs:summary_texts',
  ];
  const names = new ToolNames(
    new Map(
      ids.map((toolId) => [
        toolId,
        [{ toolId, version: '1.0.0', aliases: toolId === 'core:echo' ? ['GetBackWhatWasSaid'] : [] } as never],
      ]),
    ),
  );
  it.each([
    ['summarize_text', 'workflow:summarize_text'],
    ['summarizeText', 'workflow:summarize_text'],
    ['sumarize_text', 'workflow:summarize_text'],
    ['docs:summarize_text', 'workflow:summarize_text'],
    ['worflow:summarize_text', 'workflow:summarize_text'],
    ['summarize_text@^1', 'workflow:summarize_text'],
    ['echo', 'core:echo'],
    ['GetBackWhatWasSaidd', 'GetBackWhatWasSaid'],
    ['search', 'kb:search'],
    ['serch', undefined],
    ['kb:serch', 'kb:search'],
    ['xylophone', undefined],
    ['', undefined],
    ['__proto__', undefined],
  ])('The suggestion for the unknown tool %j is %j', (name, expected) => {
    expect(names.suggest(name, () => true)).toBe(expected);
  });

  it('A suggestion names only tools that the caller can see', () => {
    expect(names.suggest('summarize_text', (id) => id !== 'workflow:summarize_text')).not.toBe(
      'workflow:summarize_text',
    );
    expect(names.suggest('search', (id) => id !== 'web:search')).toBe('kb:search');
  });

  it('A dry run with its own tools gets suggestions from its text', () => {
    const { errors } = parse('<ACTION><sumarize_text><a>1</a></sumarize_text></ACTION>', { tools: book });
    expect(errors).toMatchObject([{ kind: 'unknown_tool', suggestion: 'workflow:summarize_text' }]);
  });
});
