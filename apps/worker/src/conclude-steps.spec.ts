import { ToolError } from '@errand/contracts';
import { Parked } from '@errand/engine';
import { ParkJob, type StepOutcome } from '@errand/queue';
import { concludeSteps } from './conclude-steps.js';

const done = (result: number): PromiseSettledResult<StepOutcome> => ({
  status: 'fulfilled',
  value: { status: 'succeeded', result },
});
const thrown = (reason: unknown): PromiseSettledResult<StepOutcome> => ({ status: 'rejected', reason });
const parked = (until: number | undefined, forAnswer: boolean) => thrown(new Parked(until, forAnswer));
const conclude = (steps: PromiseSettledResult<StepOutcome>[], deadline?: number): unknown => {
  try {
    return concludeSteps(steps, deadline);
  } catch (error) {
    return error;
  }
};
const final = new ToolError('NodeError', 'no');
const mendable = new ToolError('ServiceError', 'away');

describe('the steps of an invocation', () => {
  it('that all succeeded are its outcome', () => {
    expect(concludeSteps([done(1), done(2)], undefined)).toEqual([
      { status: 'succeeded', result: 1 },
      { status: 'succeeded', result: 2 },
    ]);
  });

  it('are waited for where some are parked, until the first that can go on', () => {
    const park = conclude([parked(300, false), parked(200, true), done(1), parked(undefined, true)]);
    expect(park).toBeInstanceOf(ParkJob);
    expect(park).toMatchObject({ until: 200, waitsFor: 'answer' });
    expect(conclude([parked(300, false)])).toMatchObject({ until: 300, waitsFor: 'time' });
    expect(conclude([parked(undefined, true)])).toMatchObject({ until: undefined });
  });

  it('are waited for no longer than the whole may take', () => {
    expect(conclude([parked(undefined, true)], 250)).toMatchObject({ until: 250 });
    expect(conclude([parked(200, true)], 250)).toMatchObject({ until: 200 });
  });

  it('fail with the first failure once nothing waits', () => {
    expect(conclude([done(1), thrown(final), thrown(new ToolError('ScriptError', 'other'))])).toBe(final);
    expect(conclude([thrown(final), parked(undefined, true)])).toBeInstanceOf(ParkJob);
  });

  it('are tried again where that may help, whatever else there is', () => {
    expect(conclude([thrown(final), parked(1, true), thrown(mendable)])).toBe(mendable);
    const fault = new TypeError('a fault of ours');
    expect(conclude([thrown(final), thrown(fault)])).toBe(fault);
  });
});
