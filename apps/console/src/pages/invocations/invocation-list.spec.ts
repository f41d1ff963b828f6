import type { InvocationRow } from '@errand/contracts';
import { forgetConnection, setConnection } from '../../live/live-state.js';
import { readChosen } from './export-rows.js';
import { InvocationList } from './invocation-list.js';

/** A request of the list that the test answers. */
interface Asked {
  query: URLSearchParams;
  answer: (rows: readonly InvocationRow[], nextCursor?: string) => Promise<void>;
}

const row = (n: number, status = 'queued') =>
  ({ id: `inv_${String(n).padStart(4, '0')}`, status, createdAt: '2026-01-01T00:00:00Z' }) as InvocationRow;
/** The rows from one number down to another. */
const rowsDown = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, n) => row(from - n));
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('The list of invocations', () => {
  let asked: Asked[];
  let list: InvocationList;
  const statusOf = (n: number) => list.rows.value.find(({ id }) => id === row(n).id)?.status;
  const report = (changed: InvocationRow) => list.accept({ event: 'invocation', data: changed, id: '1' });
  const numbers = () => list.rows.value.map(({ id }) => Number(id.slice(4)));

  beforeEach(async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    asked = [];
    jest.spyOn(globalThis, 'fetch').mockImplementation((input, { signal } = {}) => {
      const { pathname, searchParams: query } = new URL(input as string, 'http://page');
      if (pathname.endsWith('/counts')) return Promise.resolve(Response.json({ counts: {}, approximate: false }));
      return new Promise((resolve, reject) => {
        const answer = (items: readonly InvocationRow[], nextCursor: string | null = null) => {
          resolve(Response.json({ items, nextCursor }));
          return settle().then(settle) as Promise<void>;
        };
        signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
        asked.push({ query, answer });
      });
    });
    setConnection(true, Date.now());
    list = new InvocationList(new Map());
    await settle();
    await asked.shift()?.answer(rowsDown(300, 201), 'c200');
  });
  afterEach(() => {
    list.close();
    forgetConnection();
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('An older page that comes after a new first page is dropped, so that no rows between them are missing', async () => {
    void list.loadOlder();
    void list.loadNewest();
    const [older, newest] = asked.splice(0);
    await newest!.answer(rowsDown(500, 401), 'c400');
    await older!.answer(rowsDown(200, 101), 'c100');
    expect(numbers()).toEqual(rowsDown(500, 401).map(({ id }) => Number(id.slice(4))));
    expect([list.cursor.value, list.isLoadingMore.value, list.error.value]).toEqual(['c400', false, undefined]);
    void list.loadOlder();
    expect(asked[0]?.query.get('cursor')).toBe('c400');
  });

  it('No older page is read while the first one is, and the newest request for a first page counts', async () => {
    void list.loadNewest();
    void list.loadNewest();
    await list.loadOlder();
    const [first, second, ...more] = asked.splice(0);
    expect(more).toEqual([]);
    await second!.answer(rowsDown(320, 221));
    await first!.answer(rowsDown(310, 211));
    expect([numbers()[0], list.isLoading.value]).toEqual([320, false]);
  });

  it('A change of a row in a page that is on its way is shown when the page has come', async () => {
    void list.loadOlder();
    report(row(150, 'running'));
    report(row(250, 'running'));
    report(row(301, 'queued'));
    jest.advanceTimersByTime(1_000);
    await asked[0]!.answer(rowsDown(200, 101), 'c100');
    expect([statusOf(150), statusOf(250), list.freshCount.value]).toEqual(['running', 'running', 1]);
  });

  it('A page that cannot be read holds no change back', async () => {
    jest.spyOn(globalThis, 'fetch').mockRejectedValueOnce(new TypeError('away'));
    const older = list.loadOlder();
    report(row(250, 'running'));
    await older;
    jest.advanceTimersByTime(1_000);
    expect([statusOf(250), list.isLoadingMore.value]).toEqual(['running', false]);
    expect(list.error.value).toBeDefined();
  });

  it('Rows that are read again do not replace what the feed has reported meanwhile', async () => {
    list.see([row(250).id, row(251).id]);
    list.accept({ event: 'dropped', data: { count: 1 }, id: '2' });
    jest.advanceTimersByTime(1_990);
    // This one is older than the answer.
    report(row(251, 'running'));
    jest.advanceTimersByTime(10);
    const [again] = asked.splice(0);
    expect(again?.query.get('ids')).toBe(`${row(250).id},${row(251).id}`);
    report(row(250, 'succeeded'));
    jest.advanceTimersByTime(1_000);
    await again!.answer([row(250, 'running'), row(251, 'failed')]);
    expect([statusOf(250), statusOf(251)]).toEqual(['succeeded', 'failed']);
  });

  it('The chosen rows that the list does not hold are read by their ids, at most 100 at a time', async () => {
    const ids = new Set([row(300).id, ...rowsDown(150, 1).map(({ id }) => id)]);
    const chosen = readChosen({ ids, held: list.rows.value });
    await settle();
    expect(asked[0]?.query.get('ids')?.split(',')).toHaveLength(100);
    await asked[0]!.answer(rowsDown(150, 51));
    expect(asked[1]?.query.get('ids')?.split(',')).toHaveLength(50);
    // One of them is not stored any more.
    await asked[1]!.answer(rowsDown(50, 2));
    expect((await chosen).map(({ id }) => id)).toEqual([row(300), ...rowsDown(150, 2)].map(({ id }) => id));
    expect([...asked[0]!.query.keys()].toSorted()).toEqual(['ids', 'view']);
  });
});
