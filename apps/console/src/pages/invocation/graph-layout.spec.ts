import type { Drawing, DrawnNode } from '@errand/contracts';
import { layOut } from './graph-layout.js';

const node = (id: string, more: Partial<DrawnNode> = {}): DrawnNode => ({ id, type: 'test:Do', kind: 'node', ...more });
const edge = (source: string, target: string) => ({ source, target, sourceHandle: 'out', targetHandle: 'in' });

function place(drawing: Drawing) {
  const laid = layOut(drawing);
  return { ...laid, at: new Map(laid.nodes.map((placed) => [placed.node.id, placed])) };
}

describe('The layout of a graph', () => {
  it.each([10, 500])('In a graph of %i nodes, every node is behind its sources and no two overlap', (count) => {
    const nodes = Array.from({ length: count }, (_, index) => node(`node ${index}`));
    const edges = nodes.slice(1).map(({ id }, index) => edge(`node ${Math.floor(index / 2)}`, id));
    const { at, width, height } = place({ nodes, edges });
    expect(edges.every(({ source, target }) => (at.get(source)?.x ?? 0) < (at.get(target)?.x ?? 0))).toBe(true);
    expect(new Set([...at.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(count);
    expect([...at.values()].every(({ x, y }) => x >= 0 && y >= 0 && x < width && y < height)).toBe(true);
  });

  it('A node group is a box around its contents, and edges to it end at the inputs inside', () => {
    const nodes = [
      node('before'),
      node('group', { kind: 'group' }),
      node('group/in', { kind: 'groupInput', group: 'group' }),
      node('group/do', { group: 'group' }),
    ];
    const { at, edges } = place({ nodes, edges: [edge('before', 'group'), edge('group/in', 'group/do')] });
    const [box, inner] = [at.get('group'), at.get('group/do')];
    expect(box?.isBox).toBe(true);
    expect(inner && box && inner.x > box.x && inner.x + inner.width < box.x + box.width).toBe(true);
    expect(edges.map(({ source, target }) => [source, target])).toEqual([
      ['before', 'group'],
      ['group/in', 'group/do'],
    ]);
  });

  it('Ids that are names of objects in JavaScript are ids like others', () => {
    const nodes = ['__proto__', 'constructor', '\u0000', 'toString'].map((id) => node(id));
    const { at, edges } = place({ nodes, edges: [edge('__proto__', 'constructor'), edge('constructor', 'toString')] });
    expect([at.size, edges.length]).toEqual([4, 2]);
  });

  it('A cycle and an edge to an unknown node do no harm', () => {
    for (const count of [3, 300]) {
      const nodes = Array.from({ length: count }, (_, index) => node(`${index}`));
      const { at } = place({ nodes, edges: [edge('0', '1'), edge('1', '0'), edge('2', 'nobody'), edge('2', '2')] });
      expect(at.size).toBe(count);
    }
  });
});
