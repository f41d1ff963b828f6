import { planSteps } from './plan-steps.js';

const NOW = Date.UTC(2026, 0, 15, 12, 0, 3);
const HOUR = 3_600_000;

it.each([
  ['an hour', HOUR, 10, 10_000],
  ['six hours', 6 * HOUR, 60, 60_000],
  ['two days', 48 * HOUR, 60, 180_000],
  ['three days', 72 * HOUR, 900, 900_000],
  ['30 days', 720 * HOUR, 900, 2_700_000],
])(
  'A range of %s has the finest buckets that reach back so far, and at most 1,000 steps',
  (_, age, seconds, stepMs) => {
    const steps = planSteps({ from: NOW - age, to: NOW }, NOW);
    expect(steps).toMatchObject({ seconds, stepMs });
    expect(steps.starts.length).toBeLessThanOrEqual(1_000);
    expect(steps.starts[0]).toBeLessThanOrEqual(NOW - age);
    expect(steps.starts.at(-1)).toBeGreaterThan(NOW - stepMs);
  },
);

it('A wanted step becomes a multiple of the buckets', () => {
  expect(planSteps({ from: NOW - HOUR, to: NOW, stepMs: 25_000 }, NOW).stepMs).toBe(30_000);
  expect(planSteps({ from: NOW - HOUR, to: NOW, stepMs: 1 }, NOW).stepMs).toBe(10_000);
  expect(planSteps({ from: NOW - HOUR, to: NOW, stepMs: HOUR }, NOW).starts.length).toBeLessThanOrEqual(2);
});

it('What is older than 30 days or in the future is left out', () => {
  const { begins, starts } = planSteps({ from: 0, to: NOW + 1_000 * HOUR }, NOW);
  expect(begins.length).toBeLessThanOrEqual(2_890);
  expect(starts.at(-1)).toBeLessThanOrEqual(NOW);
  expect(planSteps({ from: NOW + HOUR, to: NOW + 2 * HOUR }, NOW).starts).toEqual([]);
});

it('The buckets of all steps are read, and no others', () => {
  const { begins, starts, stepMs } = planSteps({ from: NOW - HOUR, to: NOW, stepMs: 60_000 }, NOW);
  expect(begins[0]).toBe((starts[0] ?? 0) / 1_000);
  expect(begins.every((begin) => begin * 1_000 < NOW)).toBe(true);
  expect(begins.length).toBeLessThanOrEqual((starts.length * stepMs) / 10_000);
});
