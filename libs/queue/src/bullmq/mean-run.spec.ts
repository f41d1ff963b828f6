import { MeanRun } from './mean-run.js';

describe('The mean time of the last runs', () => {
  it('It is 0 before the first run, and then that of the first run', () => {
    const mean = new MeanRun();
    expect(mean.ms).toBe(0);
    mean.note(80);
    expect(mean.ms).toBe(80);
  });

  it('One long run among short ones counts for a sixteenth, and less after each newer run', () => {
    const mean = new MeanRun();
    for (const ms of [10, 10, 170]) mean.note(ms);
    expect(mean.ms).toBe(20);
    for (let n = 0; n < 100; n++) mean.note(10);
    expect(mean.ms).toBeCloseTo(10, 1);
  });
});
