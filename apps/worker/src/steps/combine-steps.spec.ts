import { ToolError } from '@errand/contracts';
import { Suspended } from '@errand/engine';
import { AttemptFailed, SuspendJob, type StepOutcome } from '@errand/queue';
import { combineSteps } from './combine-steps.js';

const done = (result: number): PromiseSettledResult<StepOutcome> => ({
  status: 'fulfilled',
  value: { status: 'succeeded', result },
});
const thrown = (reason: unknown): PromiseSettledResult<StepOutcome> => ({ status: 'rejected', reason });
const suspended = (until: number | undefined, forAnswer: boolean) => thrown(new Suspended(until, forAnswer));
const conclude = (steps: PromiseSettledResult<StepOutcome>[], deadline?: number): unknown => {
  try {
    return combineSteps(steps, deadline);
  } catch (error) {
    return error;
  }
};
const final = new AttemptFailed(new ToolError('NodeError', 'no'), undefined);
const retryable = new AttemptFailed(new ToolError('ServiceError', 'away'), 5);

describe('concludeSteps', () => {
  it('The outcomes of succeeded steps are the outcome of the invocation', () => {
    expect(combineSteps([done(1), done(2)], undefined)).toEqual([
      { status: 'succeeded', result: 1 },
      { status: 'succeeded', result: 2 },
    ]);
  });

  it('A suspended step suspends the invocation until the earliest time of all steps', () => {
    const suspension = conclude([suspended(300, false), suspended(200, true), done(1), suspended(undefined, true)]);
    expect(suspension).toBeInstanceOf(SuspendJob);
    expect(suspension).toMatchObject({ until: 200, waitsFor: 'answer' });
    expect(conclude([suspended(300, false)])).toMatchObject({ until: 300, waitsFor: 'time' });
    expect(conclude([suspended(undefined, true)])).toMatchObject({ until: undefined });
  });

  it('A suspended invocation waits at most until its deadline', () => {
    expect(conclude([suspended(undefined, true)], 250)).toMatchObject({ until: 250 });
    expect(conclude([suspended(200, true)], 250)).toMatchObject({ until: 200 });
  });

  it('The first failure fails the invocation when no step waits', () => {
    expect(
      conclude([done(1), thrown(final), thrown(new AttemptFailed(new ToolError('ScriptError', 'other'), undefined))]),
    ).toBe(final);
    expect(conclude([thrown(final), suspended(undefined, true)])).toBeInstanceOf(SuspendJob);
  });

  it('Failures with onError continue do not fail the invocation unless all steps failed', () => {
    const failed: StepOutcome = { status: 'failed', error: { type: 'NodeError', message: 'no', details: { line: 1 } } };
    const goneOn: PromiseSettledResult<StepOutcome> = { status: 'fulfilled', value: failed };
    expect(conclude([goneOn, done(2)])).toEqual([failed, { status: 'succeeded', result: 2 }]);
    expect(conclude([goneOn, goneOn])).toMatchObject({
      pauseMs: undefined,
      failure: { type: 'NodeError', message: 'no', details: { line: 1, step: 0 } },
    });
  });

  it('A failure that can be retried retries the invocation, with the longest pause of all steps', () => {
    expect(conclude([thrown(final), suspended(1, true), thrown(retryable)])).toBe(retryable);
    const later = new AttemptFailed(new ToolError('ServiceError', 'busy'), 9);
    expect(conclude([thrown(retryable), thrown(later), thrown(retryable)])).toBe(later);
    const fault = new TypeError('an internal error');
    expect(conclude([thrown(final), thrown(fault)])).toBe(fault);
  });
});
