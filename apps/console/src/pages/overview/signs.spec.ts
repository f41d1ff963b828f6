import type { InboxItem, RefusalSummary, ShownProcess, Stats } from '@errand/contracts';
import { signsOf, type SignSources } from './signs.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const at = (ms: number) => new Date(NOW + ms).toISOString();
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other fields are not looked at
const some = <T>(value: Partial<T>): T => value as T;
const job = (invocationId: string, since: number, toolId: string | null = 'office:report') => ({
  invocationId,
  step: 0,
  toolId,
  since: at(since),
});
const namesOf = (sources: SignSources) =>
  signsOf(sources, NOW).map(({ name, count, what }) => [name, count, ...(what === undefined ? [] : [what])]);

describe('Signs of what may be wrong', () => {
  it('Nothing is a sign where nothing is wrong', () => {
    const processes = [some<ShownProcess>({ kind: 'worker', state: 'ready', inHand: [job('inv_1', -30_000)] })];
    const inbox = [some<InboxItem>({ until: at(300_000) }), some<InboxItem>({ until: null })];
    const nothing = { items: [], looked: 500 };
    expect(signsOf({ processes, inbox, repeated: nothing, cut: nothing, refused: [] }, NOW)).toEqual([]);
    expect(signsOf({}, NOW)).toEqual([]);
  });

  it('A lost process, an overdue answer, one that is due soon, and an invocation that does not end are named', () => {
    const processes = [
      some<ShownProcess>({ kind: 'runner', state: 'lost', inHand: [job('inv_1', -900_000)] }),
      some<ShownProcess>({
        kind: 'worker',
        state: 'ready',
        inHand: [job('inv_2', -61_000), job('inv_3', -90_000, 'a:b')],
      }),
    ];
    const inbox = [-1, 0, 299_999].map((ms) => some<InboxItem>({ until: at(ms) }));
    expect(namesOf({ processes, inbox })).toEqual([
      ['lost', 1],
      ['overdue', 1],
      ['due', 2],
      ['long', 2, 'a:b'],
    ]);
    expect(signsOf({ processes }, NOW).at(-1)?.path).toBe(
      '/console/invocations?status=running&to=2026-03-01T11%3A59%3A00.000Z',
    );
  });

  it('Open invocations that no process runs and that ask nothing are named', () => {
    const processes = [
      some<ShownProcess>({ kind: 'worker', state: 'ready', inHand: [job('inv_1', -1)] }),
      some<ShownProcess>({ kind: 'worker', state: 'lost', inHand: [job('inv_2', -1)] }),
    ];
    const inbox = [some<InboxItem>({ invocationId: 'inv_3', until: null })];
    const items = ['inv_1', 'inv_2', 'inv_3', 'inv_4'].map((id) => ({ id, waiting: null }));
    const open = { items: [...items, { id: 'inv_5', waiting: { prompt: 'May I?' } }], nextCursor: null };
    const openSigns = (sources: SignSources) => signsOf(sources, NOW).filter(({ name }) => name === 'open');
    expect(openSigns({ processes, inbox, open })).toMatchObject([
      {
        count: 2,
        text: 'invocations are open for over 5 minutes, and no process runs them:',
        links: [{ path: '/console/invocations/inv_2' }, { path: '/console/invocations/inv_4' }],
      },
    ]);
    expect(openSigns({ processes, inbox, open: { ...open, nextCursor: 'c' } })).toMatchObject([
      {
        isMore: true,
        path: '/console/invocations?status=running%2Cwaiting_external&to=2026-03-01T11%3A55%3A00.000Z',
      },
    ]);
    expect(openSigns({ inbox, open })).toEqual([]);
  });

  it('A timeout and a lost invocation are named however many other types of errors there are', () => {
    const types = [
      'ScriptError',
      'NodeError',
      'ServiceError',
      'OutputError',
      'TimeoutError',
      'LostError',
      'SecurityError',
    ];
    const failed: Stats = {
      metric: 'failed',
      stepMs: 10_000,
      series: types.map((errorType, n) => ({ labels: { errorType }, points: [[0, 100 - n]] })),
    };
    expect(namesOf({ failed }).map(([, , what]) => what)).toEqual([
      'ScriptError',
      'NodeError',
      'ServiceError',
      'TimeoutError',
      'LostError',
      undefined,
    ]);
    expect(signsOf({ failed }, NOW).at(-1)).toMatchObject({
      count: 2,
      text: 'more types of errors in the last hour',
      path: '/console/invocations?status=failed',
    });
  });

  it('Failures, refused calls, repeated effects and cut results are counted', () => {
    const series = (errorType: string | null, ...counts: number[]) => ({
      labels: { errorType },
      points: counts.map((count, n): [number, number] => [n, count]),
    });
    const failed: Stats = {
      metric: 'failed',
      stepMs: 10_000,
      series: [series(null, 5), series('NodeError', 0), series('CancelledError', 9), series('TimeoutError', 1, 2)],
    };
    const refused = [some<RefusalSummary>({ key: 'office:a&b', refused: 4 }), some<RefusalSummary>({ key: '(none)' })];
    const repeated = { items: [{ session: 's', toolId: 'office:pay' }], looked: 1_200 };
    const cut = { items: ['inv_a00001', 'inv_a00002', 'inv_a00003', 'inv_a00004'].map((id) => ({ id })), looked: 500 };
    const signs = signsOf({ failed, refused, repeated, cut }, NOW);
    expect(namesOf({ failed, refused, repeated, cut })).toEqual([
      ['failed', 3, 'TimeoutError'],
      ['refused', 4, 'office:a&b'],
      ['repeated', 1],
      ['cut', 4],
    ]);
    expect(signs.slice(0, 2).map(({ path }) => path)).toEqual([
      '/console/invocations?status=failed&errorType=TimeoutError',
      '/console/refusals?toolId=office%3Aa%26b',
    ]);
    expect(signs.slice(2).map(({ text }) => text)).toEqual([
      'effect among the newest 1,200 was asked for again:',
      'results among the newest 500 were cut short for the model:',
    ]);
    expect(signs.slice(2).map(({ links }) => links)).toEqual([
      [{ text: 'office:pay', path: '/console/effects?session=s&toolId=office%3Apay' }],
      ['inv_a00001', 'inv_a00002', 'inv_a00003'].map((id) => ({
        text: `…${id.slice(-6)}`,
        path: `/console/invocations/${id}`,
      })),
    ]);
  });
});
