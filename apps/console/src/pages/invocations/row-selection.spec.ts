import { RowSelection } from './row-selection.js';

const ORDER = ['e', 'd', 'c', 'b', 'a'];
const chosen = (selection: RowSelection) => [...selection.ids.value].toSorted().join('');

describe('The selection of rows', () => {
  it('A range reaches from the last chosen row, in both directions', () => {
    const selection = new RowSelection();
    selection.toggle('d', ORDER);
    selection.toggle('b', ORDER, true);
    expect(chosen(selection)).toBe('bcd');
    selection.toggle('e', ORDER, true);
    expect(chosen(selection)).toBe('bcde');
    selection.toggle('c', ORDER);
    expect(chosen(selection)).toBe('bde');
  });

  it('Moves with Shift choose all rows on the way, from the active row on', () => {
    const selection = new RowSelection();
    selection.active.value = 'c';
    selection.extend('b', ORDER);
    selection.extend('a', ORDER);
    expect(chosen(selection)).toBe('abc');
  });

  it('A changed selection is never the whole list any more', () => {
    const selection = new RowSelection();
    selection.chooseAll(ORDER);
    selection.isWhole.value = true;
    selection.toggle('c', ORDER);
    expect([selection.isWhole.value, chosen(selection)]).toEqual([false, 'abde']);
    selection.clear();
    expect(selection.count.value).toBe(0);
  });
});
