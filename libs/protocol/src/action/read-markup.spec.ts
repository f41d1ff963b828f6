import { XMLParser } from 'fast-xml-parser';
import * as fc from 'fast-check';
import { randomRuns } from '../../../../test/support/random-runs.js';
import type { Element } from './element.js';
import { decodeReferences } from './decode-references.js';
import { readMarkup } from './read-markup.js';

const library = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: true,
  parseTagValue: false,
  trimValues: false,
  cdataPropName: '#cdata',
});

type Node = string | [name: string, ...Node[]];

/** The result of this reader as nested lists. Adjacent texts are joined. */
function ours(text: string): Node[] {
  const nodes = ({ content }: Element): Node[] =>
    joined(
      content.flatMap((part): Node[] => {
        if (part.kind === 'element') return [[part.name, ...nodes(part)]];
        if (part.kind === 'text') return [decodeReferences(text.slice(part.start, part.end))];
        return part.kind === 'cdata' ? [text.slice(part.start + 9, part.end - 3)] : [];
      }),
    );
  return nodes(readMarkup(text, 0, text.length));
}

type Ordered = Record<string, any>[];

/** The result of fast-xml-parser in the same form. */
function theirs(text: string): Node[] {
  const nodes = (list: Ordered): Node[] =>
    joined(
      list.flatMap((item): Node[] => {
        const [name, value] = Object.entries(item)[0]!;
        if (name === '#text') return [String(value)];
        if (name === '#cdata') return value.map((part: Ordered[number]) => String(part['#text']));
        return [[name, ...nodes(value)]];
      }),
    );
  return nodes(library.parse(text));
}

function joined(nodes: Node[]): Node[] {
  const list: Node[] = [];
  for (const node of nodes) {
    const last = list.at(-1);
    if (typeof node === 'string' && typeof last === 'string') list[list.length - 1] = last + node;
    else list.push(node);
  }
  return list.filter((node) => node !== '');
}

const name = fc.constantFrom('a', 'b', 'tool_id', 'x-y', 'ns:name', 'größe');
const leaf = fc.oneof(
  fc.constantFrom(
    'text',
    'x & y &amp; z',
    '&lt;b&gt;',
    '1 &gt; 0',
    'ünï',
    '<!-- a <b> -->',
    '<![CDATA[<x> & ]]>',
    '<![CDATA[]]>',
    '😀',
  ),
  name.map((tag) => `<${tag}/>`),
);
const { content } = fc.letrec<{ content: string; element: string }>((tie) => ({
  element: fc.tuple(name, tie('content')).map(([tag, inner]) => `<${tag} k="v>">${inner}</${tag}>`),
  content: fc.array(fc.oneof({ maxDepth: 4 }, leaf, tie('element')), { maxLength: 4 }).map((parts) => parts.join('')),
}));

describe('readMarkup', () => {
  it('Well-formed XML is read like fast-xml-parser reads it', () => {
    fc.assert(
      fc.property(content, (inner) => {
        const text = `<root>${inner}</root>`;
        expect(ours(text)).toEqual(theirs(text));
      }),
      { numRuns: randomRuns(1_000) },
    );
  });

  it('Each part has its offsets', () => {
    const text = '<a>x<b c="1">y</b></a>';
    const {
      content: [a],
    } = readMarkup(text, 0, text.length);
    expect(a).toMatchObject({ start: 0, inner: 3, innerEnd: 18, end: 22 });
    expect(a?.kind === 'element' && a.content[1]).toMatchObject({
      name: 'b',
      attributes: 'c="1"',
      start: 4,
      inner: 13,
      innerEnd: 14,
      end: 18,
    });
  });

  it('The content of an element has no gaps, and its texts are what its parts leave', () => {
    fc.assert(
      fc.property(content, (inner) => {
        const text = `<root>${inner}</root>`;
        const waiting = [readMarkup(text, 0, text.length)];
        for (let element = waiting.pop(); element; element = waiting.pop()) {
          let at = element.inner;
          for (const part of element.content) {
            expect(part.start).toBe(at);
            expect(part.end).toBeGreaterThan(at);
            at = part.end;
            if (part.kind === 'element') waiting.push(part);
          }
          expect(at).toBe(element.innerEnd);
          expect(element.content.filter(({ kind }) => kind !== 'text')).toEqual(element.parts);
          expect(element.hasElements).toBe(element.elements.length > 0);
        }
      }),
      { numRuns: randomRuns(500) },
    );
  });
});
