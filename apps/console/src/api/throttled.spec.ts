import { throttled } from './throttled.js';

describe('A throttled action', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const start = () => {
    const at: number[] = [];
    let everyMs = 100;
    const begun = Date.now();
    const action = throttled(
      () => at.push(Date.now() - begun),
      () => everyMs,
    );
    return { at, action, slowDown: (ms: number) => (everyMs = ms) };
  };

  it('A throttled action runs at the first call, and once for all calls within the time', () => {
    const { at, action } = start();
    for (let times = 0; times < 10; times++) {
      action.call();
      jest.advanceTimersByTime(25);
    }
    jest.advanceTimersByTime(1_000);
    expect(at).toEqual([0, 100, 200, 300]);
  });

  it('A throttled action runs at once after a quiet time', () => {
    const { at, action } = start();
    action.call();
    jest.advanceTimersByTime(1_000);
    action.call();
    expect(at).toEqual([0, 1_000]);
  });

  it('The time between two runs of a throttled action can grow', () => {
    const { at, action, slowDown } = start();
    slowDown(500);
    action.call();
    action.call();
    jest.advanceTimersByTime(1_000);
    expect(at).toEqual([0, 500]);
  });

  it('A cancelled throttled action does not run any more, neither by an earlier call nor by a later one', () => {
    const { at, action } = start();
    action.call();
    action.call();
    action.cancel();
    jest.advanceTimersByTime(1_000);
    action.call();
    const other = start();
    other.action.cancel();
    other.action.call();
    expect([at, other.at]).toEqual([[0], []]);
  });
});
