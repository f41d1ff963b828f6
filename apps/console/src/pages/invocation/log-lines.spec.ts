import type { LogLine, LogPage } from '@errand/contracts';
import { LogLines, type LogQuery } from './log-lines.js';

/** A log of so many lines, of which the first are not kept. */
function logOf(total: number, firstKept = 1) {
  const asked: LogQuery[] = [];
  const state = { total };
  const read = async (query: LogQuery): Promise<LogPage> => {
    asked.push(query);
    const all: LogLine[] = [];
    for (let n = Math.max(firstKept, query.after + 1); n <= state.total; n++) {
      const line = { n, at: '', step: n % 2, stream: 'node' as const, line: `line ${n}` };
      if (query.q !== undefined && !line.line.includes(query.q)) continue;
      if (query.step !== undefined && `${line.step}` !== query.step) continue;
      all.push(line);
      if (all.length > query.limit) break;
    }
    const items = all.slice(0, query.limit);
    return { items, total: state.total, firstKept, nextCursor: all.length > query.limit ? `${items.at(-1)?.n}` : null };
  };
  return { read, asked, state };
}

const fail = (error: unknown) => {
  throw error;
};
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('The lines of a log', () => {
  it('Only the parts in view are read, and far ones are dropped', async () => {
    const { read, asked } = logOf(100_000);
    const lines = new LogLines(read, {}, () => {}, fail);
    await lines.refresh();
    expect([lines.count, lines.lineAt(0)?.n]).toEqual([100_000, 1]);
    lines.show(99_950, 99_999);
    await settle();
    expect(lines.lineAt(99_999)?.line).toBe('line 100000');
    expect(asked).toHaveLength(2);
    for (let row = 0; row < 100_000; row += 1_000) {
      lines.show(row, row + 40);
      await settle();
    }
    lines.show(99_950, 99_999);
    await settle();
    expect(lines.lineAt(0)).toBeUndefined();
  });

  it('Rows begin at the first line that is kept', async () => {
    const { read } = logOf(5_000, 4_001);
    const lines = new LogLines(read, {}, () => {}, fail);
    await lines.refresh();
    lines.show(0, 20);
    await settle();
    expect([lines.count, lines.firstKept, lines.lineAt(0)?.n]).toEqual([1_000, 4_001, 4_001]);
  });

  it('New lines at the end come with the next read', async () => {
    const { read, state } = logOf(10);
    const lines = new LogLines(read, {}, () => {}, fail);
    await lines.refresh();
    state.total = 2_500;
    await lines.refresh();
    lines.show(2_400, 2_499);
    await settle();
    expect([lines.count, lines.lineAt(10)?.n, lines.lineAt(2_499)?.n]).toEqual([2_500, 11, 2_500]);
  });

  it('A search reads all lines that fit, and later only new ones', async () => {
    const { read, asked, state } = logOf(30_000);
    const lines = new LogLines(read, { step: '1' }, () => {}, fail);
    await lines.refresh();
    expect([lines.count, lines.isComplete, lines.lineAt(14_999)?.n]).toEqual([15_000, true, 29_999]);
    state.total = 30_001;
    await lines.refresh();
    expect([lines.count, asked.at(-1)?.after]).toEqual([15_001, 30_000]);
  });
});
