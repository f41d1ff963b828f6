import * as fc from 'fast-check';
import { removeAt, renameKey, setAt, swapWithNext } from './edit-json.js';
import { nodeAt, parseTree, type JsonNode, type JsonPath } from './json-tree.js';

const NUMBERS = ['1.0', '-0', '1e400', '12345678901234567890', '0.10', '-2E+3', '7'];

/** JSON texts with numbers that JavaScript cannot hold, keys of every kind, and blanks in any place. */
const { text: anyJson } = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(...NUMBERS, 'true', 'false', 'null'),
    fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
    fc.array(tie('text'), { maxLength: 4 }).map((items) => `[${items.join(', ')}]`),
    fc
      .array(fc.tuple(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'a/b', '')), tie('text')), {
        maxLength: 4,
      })
      .map((members) => `{\n ${members.map(([key, value]) => `${JSON.stringify(key)} : ${value}`).join(',\n ')}\n}`),
  ),
}));

/** Every path of a value, that of the value itself included. */
function pathsOf(node: JsonNode, path: JsonPath = []): JsonPath[] {
  if (node.kind === 'array') return [path, ...node.items.flatMap((item, n) => pathsOf(item, [...path, n]))];
  if (node.kind !== 'object') return [path];
  const last = new Map(node.members.map(({ key, value }) => [key, value]));
  return [path, ...[...last].flatMap(([key, value]) => pathsOf(value, [...path, key]))];
}

const rawAt = (text: string, path: JsonPath) => {
  const node = nodeAt(parseTree(text), path);
  return node && text.slice(node.from, node.to);
};
const isBelow = (path: JsonPath, above: JsonPath) => above.every((part, n) => path[n] === part);

describe('An edit of a JSON text', () => {
  it('An edit of one value leaves every other value as it was typed', () => {
    fc.assert(
      fc.property(anyJson, anyJson, fc.nat(), (text, raw, choice) => {
        const paths = pathsOf(parseTree(text));
        const path = paths[choice % paths.length] ?? [];
        const edited = setAt(text, path, raw);
        expect(JSON.stringify(JSON.parse(rawAt(edited, path) ?? ''))).toBe(JSON.stringify(JSON.parse(raw)));
        for (const other of paths)
          if (!isBelow(other, path) && !isBelow(path, other)) expect(rawAt(edited, other)).toBe(rawAt(text, other));
      }),
    );
  });

  it('A removed value leaves every other value as it was typed', () => {
    fc.assert(
      fc.property(anyJson, fc.nat(), (text, choice) => {
        const paths = pathsOf(parseTree(text)).filter((path) => path.length > 0);
        const path = paths[choice % paths.length];
        if (!path) return;
        const [edited, last] = [removeAt(text, path), path.at(-1)];
        for (const other of paths) {
          if (isBelow(other, path) || isBelow(path, other)) continue;
          const place = path.length - 1;
          const part = other[place];
          const isBehind = typeof last === 'number' && typeof part === 'number' && part > last;
          const isSister = isBelow(other, path.slice(0, -1));
          const moved = isSister && isBehind ? other.with(place, part - 1) : other;
          expect(rawAt(edited, moved)).toBe(rawAt(text, other));
        }
      }),
    );
  });

  it('A value is added behind the others, in the style of the text', () => {
    expect(setAt('{"a": 1.0}', ['b'], '2')).toBe('{"a": 1.0, "b": 2}');
    expect(setAt('{\n  "a": 1\n}', ['b'], '[\n  1\n]')).toBe('{\n  "a": 1,\n  "b": [\n    1\n  ]\n}');
    expect(setAt('[]', [0], '1e400')).toBe('[\n  1e400\n]');
    expect(setAt('', ['a', 'b'], '1')).toBe('{\n  "a": {\n    "b": 1\n  }\n}');
    expect(setAt('{"a": "text"}', ['a', 'b'], '1')).toBe('{"a": "text"}');
  });

  it('Items change places, and keys get other names', () => {
    expect(swapWithNext('[1.0, {"a": 2}, 3]', [], 0)).toBe('[{"a": 2}, 1.0, 3]');
    expect(swapWithNext('[1]', [], 0)).toBe('[1]');
    expect(renameKey('{"a": 1, "__proto__": 2}', ['a'], 'b')).toBe('{"b": 1, "__proto__": 2}');
    expect(renameKey('{"a": 1, "b": 2}', ['a'], 'b')).toBe('{"a": 1, "b": 2}');
  });
});

describe('The tree of a JSON text', () => {
  it('The tree accepts exactly what JSON.parse accepts, and says where a text is wrong', () => {
    fc.assert(
      fc.property(fc.oneof(anyJson, fc.string(), fc.json()), (text) => {
        const outcomes = [JSON.parse, parseTree].map((read) => {
          try {
            read(text);
            return true;
          } catch {
            return false;
          }
        });
        expect(outcomes[1]).toBe(outcomes[0]);
      }),
    );
    expect(() => parseTree('{\n "a" 1}')).toThrow('Line 2, column 6: : is missing');
    expect(() => parseTree('['.repeat(10_000))).toThrow('nested 200 levels deep');
  });
});
