import type { ListedWait } from '../suspend/list-waits.js';
import { mergeWaits } from './merge-waits.js';

const item = (position: string): ListedWait => ({
  position,
  stateField: '0',
  answerField: '0',
  step: 0,
  waiting: { for: 'answer', until: null },
  invocationId: 'inv_1',
  tenant: 'default',
  toolId: 'a:b',
  arguments: {},
  begunAt: 0,
});
const page = (positions: string[], next?: string) => ({
  items: positions.map(item),
  ...(next !== undefined && { next }),
});
const shown = ({ items, next }: ReturnType<typeof mergeWaits>) => [
  items.map(({ position }) => position).join(''),
  next,
];

describe('The waits of several shards', () => {
  it('The merged page has the order of one list', () => {
    expect(shown(mergeWaits([page(['b', 'd']), page(['a', 'c'])], 9))).toEqual(['abcd', undefined]);
  });

  it('The merged page ends where the list of a shard is unknown, and the next one begins there', () => {
    expect(shown(mergeWaits([page(['a', 'f']), page(['b', 'c'], 'c')], 9))).toEqual(['abc', 'c']);
    expect(shown(mergeWaits([page(['a', 'b']), page(['c'])], 2))).toEqual(['ab', 'b']);
  });

  it('A page of filtered waits can be empty and still have a next one', () => {
    expect(shown(mergeWaits([page([], 'k'), page(['z'])], 9))).toEqual(['', 'k']);
  });
});
