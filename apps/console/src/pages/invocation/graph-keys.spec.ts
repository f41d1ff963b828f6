import { neighbourOf } from './graph-keys.js';

const node = (id: string, x: number, y: number) => ({
  node: { id, type: 'core:echo', kind: 'node' as const },
  x,
  y,
  width: 10,
  height: 10,
  isBox: false,
});
const EDGES = [
  { source: 'a', sourceHandle: 'value', target: 'b', targetHandle: 'value' },
  { source: 'b', sourceHandle: 'value', target: 'c', targetHandle: 'value' },
];
const press = (key: string, id: string, placed = [node('a', 0, 0), node('b', 50, 0), node('c', 100, 0)]) =>
  neighbourOf(key, id, EDGES, placed);

describe('The arrow keys of a graph', () => {
  it('The right arrow leads to the target of an edge, and the left arrow to its source', () => {
    expect(press('ArrowRight', 'a')).toBe('b');
    expect(press('ArrowLeft', 'b')).toBe('a');
    expect(press('ArrowLeft', 'a')).toBeUndefined();
  });

  it('Up and down lead along the edges where no node lies above or below', () => {
    expect(press('ArrowDown', 'b')).toBe('c');
    expect(press('ArrowUp', 'b')).toBe('a');
    const placed = [node('a', 0, 0), node('b', 50, 0), node('c', 100, 0), node('d', 50, 50)];
    expect(press('ArrowDown', 'b', placed)).toBe('d');
    expect(press('Enter', 'b', placed)).toBeUndefined();
  });
});
