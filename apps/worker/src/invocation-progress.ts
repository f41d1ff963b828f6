import type { EventWriter } from '@errand/queue';

/** So finely it is told. */
const TOLD_STEPS = 10_000;

/** How much of an invocation is done: the mean of its steps. It never goes back, for a step that runs again has been told of before. */
export class InvocationProgress {
  private readonly done: number[];
  private told = 0;

  constructor(
    steps: number,
    private readonly events: Pick<EventWriter, 'emit'>,
  ) {
    this.done = Array<number>(steps).fill(0);
  }

  /** `value` is the step's own, from 0 to 1. A message is told even where the value says nothing new. */
  report(step: number, value: number, message?: string): void {
    this.done[step] = Math.max(this.done[step]!, value);
    const mean = this.done.reduce((sum, one) => sum + one, 0) / this.done.length;
    const whole = Math.round(mean * TOLD_STEPS) / TOLD_STEPS;
    // That all is done, the end says.
    if ((whole <= this.told || whole === 1) && message === undefined) return;
    this.told = whole;
    this.events.emit({ event: 'progress', value: whole, ...(message !== undefined && { message }) });
  }
}
