import { awaitEnd } from './await-end.js';
import { RefusedRequest, ServerAway } from './problems.js';

type State = { finishedAt: string | null };
const OPEN: State = { finishedAt: null };
const ENDED: State = { finishedAt: '2026-11-26T12:00:00.000Z' };

/** Waits for the end with these answers, one after the other. The last one is repeated. */
function start(answers: readonly (State | Error)[]) {
  const left = new AbortController();
  const shown: State[] = [];
  let asked = 0;
  const ask = async () => {
    const answer = answers[Math.min(asked++, answers.length - 1)]!;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  let isOver = false;
  void awaitEnd(ask, (state) => shown.push(state), left.signal).then(() => (isOver = true));
  return { left, shown, asked: () => asked, isOver: () => isOver };
}

describe('The wait for the end of an invocation', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('A wait shows each answer until the invocation has ended', async () => {
    const wait = start([OPEN, OPEN, ENDED]);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(wait.shown).toEqual([OPEN, OPEN, ENDED]);
    expect([wait.asked(), wait.isOver()]).toEqual([3, true]);
  });

  it('A failed wait is repeated, so that the end is seen after an outage', async () => {
    const refused = new RefusedRequest(500, { code: 'internal_error', detail: 'No' });
    const wait = start([OPEN, new ServerAway(), refused, new ServerAway(), ENDED]);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(wait.shown).toEqual([OPEN, ENDED]);
    expect(wait.isOver()).toBe(true);
  });

  it('A wait asks seldom while the API is away for long', async () => {
    const wait = start([new ServerAway()]);
    await jest.advanceTimersByTimeAsync(600_000);
    expect(wait.asked()).toBeLessThan(200);
    expect(wait.isOver()).toBe(false);
    wait.left.abort();
    await jest.advanceTimersByTimeAsync(0);
    expect(wait.isOver()).toBe(true);
  });

  it('An invocation that is not stored any more has no end to wait for', async () => {
    const wait = start([OPEN, new RefusedRequest(404, { code: 'not_found', detail: 'Gone' })]);
    await jest.advanceTimersByTimeAsync(60_000);
    expect([wait.asked(), wait.isOver()]).toEqual([2, true]);
  });
});
