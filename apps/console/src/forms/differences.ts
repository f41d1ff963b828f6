import { parseTree, type JsonNode } from './json-tree.js';

/** A place in which two JSON texts differ. A missing side means that the value was added or removed. */
export interface Difference {
  /** A JSON Pointer; '' for the whole value. */
  path: string;
  before?: string;
  after?: string;
}

interface Side {
  text: string;
  node: JsonNode | undefined;
}

/** The places in which two JSON texts differ, in the order of the texts. Numbers differ if they are typed differently. */
export function differencesOf(before: string, after: string): Difference[] {
  return [...compare('', { text: before, node: parseTree(before) }, { text: after, node: parseTree(after) })];
}

function* compare(path: string, one: Side, other: Side): Generator<Difference> {
  const [first, second] = [rawOf(one), rawOf(other)];
  if (first === second) return;
  const kinds = [one.node?.kind, other.node?.kind];
  const isBoth = (kind: JsonNode['kind']) => kinds.every((each) => each === kind);
  if (isBoth('object') || isBoth('array')) {
    const [left, right] = [partsOf(one), partsOf(other)];
    for (const key of new Set([...left.keys(), ...right.keys()])) {
      const at = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      yield* compare(at, { text: one.text, node: left.get(key) }, { text: other.text, node: right.get(key) });
    }
    return;
  }
  yield { path, ...(first !== undefined && { before: first }), ...(second !== undefined && { after: second }) };
}

function partsOf({ node }: Side): Map<string, JsonNode> {
  if (node?.kind === 'object') return new Map(node.members.map(({ key, value }) => [key, value]));
  return new Map(node?.kind === 'array' ? node.items.map((item, n) => [String(n), item]) : []);
}

function rawOf({ text, node }: Side): string | undefined {
  return node && text.slice(node.from, node.to);
}
