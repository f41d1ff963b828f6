import type { EventWriter } from '@errand/queue';
import { InvocationProgress } from './combine-steps.js';

function watch(steps: number) {
  const emitted: unknown[] = [];
  const events: Pick<EventWriter, 'emit'> = { emit: (event) => void emitted.push(event) };
  return { progress: new InvocationProgress(steps, events), emitted };
}

describe('The progress of an invocation', () => {
  it('The progress of an invocation is the mean of its steps', () => {
    const { progress, emitted } = watch(4);
    progress.report(0, 1);
    progress.report(1, 0.5);
    progress.report(3, 0.5);
    expect(emitted).toEqual([0.25, 0.375, 0.5].map((value) => ({ event: 'progress', value })));
  });

  it('The progress never goes back and is not reported twice', () => {
    const { progress, emitted } = watch(1);
    for (const value of [0.5, 0.2, 0.5, 0.6]) progress.report(0, value);
    expect(emitted).toEqual([0.5, 0.6].map((value) => ({ event: 'progress', value })));
  });

  it('The progress is rounded to 1/10,000', () => {
    const { progress, emitted } = watch(3);
    progress.report(0, 0.4);
    progress.report(1, 0.000_01);
    expect(emitted).toEqual([{ event: 'progress', value: 0.1333 }]);
  });

  it('A progress with a new message is reported again', () => {
    const { progress, emitted } = watch(1);
    progress.report(0, 0.5, 'half');
    progress.report(0, 0.5, 'still half');
    expect(emitted).toEqual([
      { event: 'progress', value: 0.5, message: 'half' },
      { event: 'progress', value: 0.5, message: 'still half' },
    ]);
  });
});
