import { toolLookupOf } from '@errand/registry';
import { startCpuTime } from '../../../test/support/cpu-time.js';
import { parse } from './index.js';

const tools = toolLookupOf([
  {
    toolId: 'echo',
    parameters: {
      type: 'object',
      properties: { message: { type: 'string' }, any: {}, deep: { type: 'object' }, list: { type: 'array' } },
    },
  },
  { toolId: 'ping', parameters: { type: 'object' } },
]);

function times(part: string, count: number): string {
  return part.repeat(count);
}

/** Texts of a given number of parts that try to be slow or to break a reader. */
const HOSTILE: Record<string, (size: number) => string> = {
  'ACTION openers': (n) => times('<ACTION>', n),
  'ACTION openers with tags': (n) => times('<ACTION><echo>', n),
  'ACTION openers and CDATA that never ends': (n) => times('<ACTION><![CDATA[', n),
  'ACTION openers in CDATA that ends once': (n) => `${times('<ACTION ><![CDATA[', n)}]]>${times('<!-- -->', n)}`,
  'ACTION openers and quotes': (n) => times(`<ACTION "`, n),
  'ACTION closers': (n) => times('</ACTION>', n),
  'empty blocks': (n) => times('<ACTION></ACTION>', n),
  'very many calls': (n) => `<ACTION>${times('<ping/>', n)}</ACTION>`,
  'nested tags': (n) => `<ACTION>${times('<a>', n)}${times('</a>', n)}</ACTION>`,
  'nested tags in a value': (n) => `<ACTION><echo><any>${times('<a>', n)}${times('</a>', n)}</any></echo></ACTION>`,
  'nested JSON': (n) => `<ACTION><echo><list>${times('[', n)}${times(']', n)}</list></echo></ACTION>`,
  'unclosed tags in a string': (n) => `<ACTION><echo><message>${times('<b>', n)}</message></echo></ACTION>`,
  'literal angles': (n) => `<ACTION><echo><message>${times('< ', n)}</message></echo></ACTION>`,
  references: (n) => `<ACTION><echo><message>${times('&amp;&#x41;&', n)}</message></echo></ACTION>`,
  'an entity bomb': (n) =>
    `<ACTION><!DOCTYPE a [<!ENTITY b "${times('x', n)}"><!ENTITY c "${times('&b;', 100)}">]><echo><message>&c;</message></echo></ACTION>`,
  comments: (n) => times('<!--', n),
  'blanks behind a code fence': (n) => `\`\`\`${times(' ', n)}x\ny <ACTION><ping/></ACTION>`,
  thoughts: (n) => `${times('<think>', n)}<ACTION><ping/></ACTION>`,
  'closed thoughts': (n) => `${times('<think></think>', n)}<|[REQUEST_TOOL]|>command:「始」ping「末」<|[END_TOOL]|>`,
  'repeated parameters': (n) => `<ACTION><echo>${times('<message>a</message>', n)}</echo></ACTION>`,
  'different parameters': (n) =>
    `<ACTION><echo>${Array.from({ length: n }, (_, i) => `<p${i}>a</p${i}>`).join('')}</echo></ACTION>`,
  'TAM openers': (n) => times('<|[REQUEST_TOOL]|>', n),
  'TAM openers with an end': (n) => `${times('<|[REQUEST_TOOL]|>', n)}<|[END_TOOL]|>`,
  'VCP openers': (n) => times('<<<[TOOL_REQUEST]>>>', n),
  'TAM blocks': (n) => times('<|[REQUEST_TOOL]|>command:「始」ping「末」<|[END_TOOL]|>', n),
  'TAM blocks that need the first reading': (n) =>
    times('<|[REQUEST_TOOL]|>command:「始」echo「末」message:「始」a b:「始」 c「末」<|[END_TOOL]|>\n', n),
  'TAM blocks that need the last reading': (n) =>
    times('<|[REQUEST_TOOL]|>command:「始」echo「末」message:「始」a 「末」 c「末」<|[END_TOOL]|>\n', n),
  'opening marks': (n) => `<|[REQUEST_TOOL]|>${times('「始」', n)}<|[END_TOOL]|>`,
  'fields that are not closed': (n) => `<|[REQUEST_TOOL]|>${times('a:「始」', n)}<|[END_TOOL]|>`,
  'nested fields': (n) =>
    `<|[REQUEST_TOOL]|>command:「始」echo「末」message:「始」${times('a:「始」', n)}${times('「末」', n)}「末」<|[END_TOOL]|>`,
  'closing marks': (n) => `<|[REQUEST_TOOL]|>a:「始」${times('「末」', n)}<|[END_TOOL]|>`,
  hashes: (n) => `<|[REQUEST_TOOL]|>${times('x #', n)}\n<|[END_TOOL]|>`,
  'comment lines': (n) => `<|[REQUEST_TOOL]|>command:「始」ping「末」\n${times('# x\n', n)}<|[END_TOOL]|>`,
  'stray lines': (n) => `<|[REQUEST_TOOL]|>command:「始」ping「末」\n${times('some text, //\n', n)}<|[END_TOOL]|>`,
  'a long word': (n) => `<|[REQUEST_TOOL]|>${times('a', n)}<|[END_TOOL]|>`,
  colons: (n) => `<|[REQUEST_TOOL]|>${times('a :', n)}<|[END_TOOL]|>`,
  blanks: (n) =>
    `<|[REQUEST_TOOL]|>command${times(' ', n)}:${times(' ', n)}「始」ping「末」<|[END_TOOL]|></ACTION${times(' ', n)}`,
  'repeated fields': (n) =>
    `<|[REQUEST_TOOL]|>command:「始」echo「末」${times('message:「始」a「末」', n)}<|[END_TOOL]|>`,
  'numbered commands': (n) =>
    `<|[REQUEST_TOOL]|>${Array.from({ length: n }, (_, i) => `command${i}:「始」ping「末」x${i}:「始」a「末」`).join('')}<|[END_TOOL]|>`,
  escapes: (n) => `<|[REQUEST_TOOL]|>${times('a:「始ESCAPE」', n)}<|[END_TOOL]|>`,
  templates: (n) => `<ACTION><echo><message>${times('{{steps.', n)}</message></echo></ACTION>`,
  'braces and blanks': (n) => `<ACTION><echo><message>${times('{{ ', n)}</message></echo></ACTION>`,
  'lookalikes of templates': (n) => `<ACTION><echo><message>${times('{{steps.x}} ', n)}</message></echo></ACTION>`,
  'templates behind backslashes': (n) =>
    `<ACTION><echo><message>${times('\\{{steps.1}}', n)}</message></echo></ACTION>`,
  attributes: (n) => `<ACTION><echo${times(' a="1"', n)}><message${times(" b='2'", n)}/></echo></ACTION>`,
  'different attributes': (n) =>
    `<ACTION${Array.from({ length: n }, (_, i) => ` a${i}="1"`).join('')}><echo${times(' b', n)}/></ACTION>`,
  'an attribute of a megabyte': (n) => `<ACTION><echo><message value="${times('&lt; ', n)}"/></echo></ACTION>`,
  'blanks in a tag': (n) => `<ACTION><echo><message ${times(' ', n)}= ${times(' ', n)}/></echo></ACTION>`,
  'elements with a value': (n) => `<ACTION><echo><list>${times('<item value="a"/>', n)}</list></echo></ACTION>`,
  'nested CDATA': (n) =>
    `<ACTION><echo><message><![CDATA[x${times('<![CDATA[', n)}${times(']]>', n)}]]></message></echo></ACTION>`,
  'nested CDATA that never ends': (n) =>
    `<ACTION><echo><message>${times('<![CDATA[x', n)}]]></message></echo></ACTION>`,
  'CDATA sections': (n) => `<ACTION><echo><message>${times('<![CDATA[x]]>', n)}</message></echo></ACTION>`,
  'split closing marks': (n) =>
    `<ACTION><echo><message><![CDATA[${times(']]]]><![CDATA[>', n)}]]></message></echo></ACTION>`,
  'misspelt CDATA': (n) => `<ACTION><echo><list>${times('<item><![cdata[x]]></item>', n)}</list></echo></ACTION>`,
  'misspelt CDATA openers': (n) => `<ACTION><echo><message>${times('<![cdata[', n)}]]></message></echo></ACTION>`,
  'almost CDATA': (n) => `<ACTION><echo><message>${times('<! [ ', n)}</message></echo></ACTION>`,
  'comments between text': (n) => `<ACTION><echo><message>${times('a<!-- -->', n)}</message></echo></ACTION>`,
  'comments between blanks': (n) => `<ACTION><echo><message>${times(' <!-- -->', n)}b</message></echo></ACTION>`,
  'closing marks in text': (n) => `<ACTION><echo><message>${times(']]>', n)}<b</message></echo></ACTION>`,
  lines: (n) => `${times('\n', n)}<ACTION><echo><nope/></echo></ACTION>`,
};

function effortFor(text: string): number {
  const spent = startCpuTime();
  parse(text, { tools, places: true });
  return spent();
}

describe('Hostile texts', () => {
  // The effort must be linear: eight times the text may take eight times the effort, not 64 times.
  it.each(Object.keys(HOSTILE))('Parsing takes linear time for %s', (name) => {
    const [small, large] = [HOSTILE[name]!(2_500), HOSTILE[name]!(20_000)];
    const least = { small: effortFor(small), large: Infinity };
    const isLinear = () => least.large < 24 * Math.max(least.small, 1_500);
    // A disturbance affects one measurement, quadratic effort affects all eight.
    for (let round = 0; round < 8 && !isLinear(); round++) {
      least.small = Math.min(least.small, effortFor(small));
      least.large = Math.min(least.large, effortFor(large));
    }
    expect({ ...least, linear: isLinear() }).toMatchObject({ linear: true });
  });

  it.each([
    'ACTION openers with tags',
    'nested tags',
    'nested tags in a value',
    'nested JSON',
    'an entity bomb',
    'very many calls',
    'TAM openers',
    'VCP openers',
    'fields that are not closed',
    'numbered commands',
  ])('Parsing gives an error and no calls for %s', (name) => {
    const { errors, calls, observation } = parse(HOSTILE[name]!(10_000), { tools });
    expect(errors.length).toBeGreaterThan(0);
    expect(calls).toEqual([]);
    expect(observation).toContain('Observation: Error - ');
  });

  it('A call inside 5 MB of text is parsed without extra cost', () => {
    const text = times('Lorem ipsum < dolor & sit: amet, ', 160_000);
    const { calls } = parse(`${text}<ACTION><echo><message>${text}</message></echo></ACTION>`, { tools });
    expect(calls).toEqual([{ toolId: 'echo', arguments: { message: text.trim() } }]);
  });

  it('Parsing never pollutes a prototype', () => {
    const open = toolLookupOf([
      {
        toolId: 't',
        parameters: { type: 'object', properties: { o: { type: 'object' } }, additionalProperties: true },
      },
    ]);
    parse('<ACTION><t><__proto__><polluted>1</polluted></__proto__><o>{"__proto__":{"polluted":1}}</o></t></ACTION>', {
      tools: open,
    });
    parse('<|[REQUEST_TOOL]|>command:「始」t「末」__proto__:「始」{"polluted":1}「末」<|[END_TOOL]|>', { tools: open });
    expect('polluted' in {}).toBe(false);
  });
});
