import type { InvocationRow } from '@errand/contracts';
import { mergeRows, releaseFirst, replaceRows } from './merge-rows.js';

const row = (id: string, status = 'queued') => ({ id, status }) as InvocationRow;
const ids = (rows: readonly InvocationRow[]) => rows.map(({ id }) => id);

describe('The rows of a list', () => {
  it('New rows come to their places, each once', () => {
    const rows = [row('d'), row('b')];
    const merged = mergeRows(rows, [row('c'), row('b', 'failed'), row('e')]);
    expect(ids(merged)).toEqual(['e', 'd', 'c', 'b']);
    expect(merged[3]!.status).toBe('failed');
    expect(mergeRows(rows, [])).toBe(rows);
  });

  it('Rows at the newer end are released when too many are held', () => {
    const rows = [row('c'), row('b'), row('a')];
    expect(releaseFirst(rows, 2)).toEqual({ kept: [rows[1], rows[2]], released: 1 });
    expect(releaseFirst(rows, 3).kept).toBe(rows);
  });

  it('A change replaces its row alone, and changes of other rows replace nothing', () => {
    const rows = [row('b'), row('a')];
    const changed = replaceRows(rows, new Map([['a', row('a', 'running')]]));
    expect(changed[0]).toBe(rows[0]);
    expect(changed[1]!.status).toBe('running');
    expect(replaceRows(rows, new Map([['x', row('x')]]))).toBe(rows);
  });
});
