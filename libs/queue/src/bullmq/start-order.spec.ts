import { lightAndOthers, startInOrder } from './start-order.js';

/** Jobs with a number each, by the first letters of their tenants. */
const jobsOf = (tenants: string) =>
  tenants.split('').map((tenant, n) => ({ n, tenant: tenant === '-' ? undefined : tenant }));
const numbersOf = (tenants: string) => lightAndOthers(jobsOf(tenants)).map((jobs) => jobs.map(({ n }) => n));

describe('The order in which the jobs of a group start', () => {
  it('The jobs of a tenant with at most a quarter of the group are light', () => {
    expect(numbersOf('aaaabaaa')).toEqual([[4], [0, 1, 2, 3, 5, 6, 7]]);
    expect(numbersOf('cabaaa-a')).toEqual([
      [0, 2, 6],
      [1, 3, 4, 5, 7],
    ]);
    expect(numbersOf('abab')).toEqual([[0, 1, 2, 3], []]);
  });

  it('A group of one tenant, and one in which all are light, start at once', () => {
    expect(numbersOf('aaaa')).toEqual([[0, 1, 2, 3], []]);
    expect(numbersOf('abcd')).toEqual([[0, 1, 2, 3], []]);
    expect(numbersOf('a')).toEqual([[0], []]);
    expect(numbersOf('')).toEqual([[], []]);
  });

  it('The others start in the turn after the light ones', async () => {
    const calls: string[] = [];
    const started = startInOrder(
      jobsOf('aaaab'),
      (jobs) => calls.push(jobs.map(({ tenant }) => tenant).join('')),
      () => calls.push('light started'),
    );
    expect(calls).toEqual(['b']);
    await started;
    expect(calls).toEqual(['b', 'light started', 'aaaa']);
  });
});
