import type { Stats } from '@errand/contracts';
import { alignSeries, toRows, totalOf, withoutLastStep } from './chart-data.js';

const statsOf = (metric: Stats['metric'], points: [number, number][]): Stats => ({
  metric,
  stepMs: 10,
  series: [{ labels: {}, points }],
});

describe('The data of a chart', () => {
  it('Lines with different points have common times, and null where one has no value', () => {
    const accepted = statsOf('accepted', [
      [10, 1],
      [20, 0],
    ]);
    const data = alignSeries([accepted, statsOf('waitP50Ms', [[30, 7]])], 12, 31);
    expect(data).toEqual({
      times: [10, 20, 30],
      values: [
        [1, 0, null],
        [null, null, 7],
      ],
    });
    expect(alignSeries([{ ...accepted, series: [] }], 10, 11)).toEqual({ times: [10], values: [[null]] });
    expect(alignSeries([], 10, 20)).toEqual({ times: [], values: [] });
  });

  it('The counts of a step that is not over are not drawn, unless there are no others', () => {
    const lines = [
      { metric: 'accepted', name: 'Accepted', tone: 'good' },
      { metric: 'waitP50Ms', name: 'Wait', tone: 'good' },
    ] as const;
    const times = [10, 20];
    const data = {
      times,
      values: [
        [2, 1],
        [null, 5],
      ],
    };
    expect(withoutLastStep(data, lines).values).toEqual([
      [2, null],
      [null, 5],
    ]);
    expect(
      withoutLastStep(
        {
          times,
          values: [
            [0, 1],
            [null, 5],
          ],
        },
        lines,
      ).values,
    ).toEqual([
      [0, 1],
      [null, 5],
    ]);
  });

  it('Counts add up, and of durations the highest one counts', () => {
    expect(totalOf('accepted', [1, null, 2])).toBe(3);
    expect(totalOf('waitP95Ms', [1, null, 2])).toBe(2);
    expect(totalOf('waitP95Ms', [null])).toBeNull();
  });

  it('A table has 12 rows at most, and its counts are those of the chart', () => {
    const times = Array.from({ length: 361 }, (_, n) => n * 10);
    const rows = toRows({ times, values: [times.map(() => 1)] }, [{ metric: 'ended', name: 'Ended', tone: 'good' }]);
    expect(rows.length).toBeLessThanOrEqual(12);
    expect(rows.reduce((sum, { values: [count] }) => sum + (count ?? 0), 0)).toBe(361);
    expect(rows[1]?.from).toBe(310);
  });
});
