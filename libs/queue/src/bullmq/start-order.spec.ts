import { setImmediate as nextTurn } from 'node:timers/promises';
import { RecentStarts } from './recent-starts.js';
import { lightAndOthers, startInOrder } from './start-order.js';

/** Jobs with a number each, by the first letters of their tenants. */
const jobsOf = (tenants: string) =>
  tenants.split('').map((tenant, n) => ({ n, tenant: tenant === '-' ? undefined : tenant }));

/** The starts of these jobs after those of `before`. */
function startsOf(jobs: readonly { tenant: string | undefined }[], before = '') {
  const starts = new RecentStarts(50);
  for (const { tenant } of [...jobsOf(before), ...jobs]) starts.note(tenant);
  return starts;
}

function numbersOf(tenants: string, before?: string) {
  const jobs = jobsOf(tenants);
  return lightAndOthers(jobs, startsOf(jobs, before)).map((some) => some.map(({ n }) => n));
}

describe('The order in which the jobs of a group start', () => {
  it('The jobs of a tenant with at most half of an equal share of the last starts are light', () => {
    expect(numbersOf('aaaabaaa')).toEqual([[4], [0, 1, 2, 3, 5, 6, 7]]);
    expect(numbersOf('cabaaa-a')).toEqual([
      [0, 2, 6],
      [1, 3, 4, 5, 7],
    ]);
    expect(numbersOf('abcabcdabc')).toEqual([[6], [0, 1, 2, 3, 4, 5, 7, 8, 9]]);
    expect(numbersOf('abac', 'abababababab')).toEqual([[3], [0, 1, 2]]);
  });

  it('A group of one tenant, and one in which no tenant has much less than the others, start at once', () => {
    expect(numbersOf('abab')).toEqual([[0, 1, 2, 3], []]);
    expect(numbersOf('abcdabcdab')).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], []]);

    expect(numbersOf('aaaa')).toEqual([[0, 1, 2, 3], []]);
    expect(numbersOf('abcd')).toEqual([[0, 1, 2, 3], []]);
    expect(numbersOf('a')).toEqual([[0], []]);
    expect(numbersOf('')).toEqual([[], []]);
  });

  it('The others start in the turn after the light ones, and the call ends when the ends of the light ones are stored', async () => {
    const calls: string[] = [];
    let answer = () => {};
    const storeLight = () => {
      calls.push('light ends are sent');
      return new Promise<void>((resolve) => (answer = resolve));
    };
    const group = jobsOf('aaaab');
    const started = startInOrder(
      group,
      startsOf(group),
      (jobs) => calls.push(jobs.map(({ tenant }) => tenant).join('')),
      storeLight,
    ).then(() => calls.push('call ends'));
    expect(calls).toEqual(['b']);
    await nextTurn();
    await nextTurn();
    expect(calls).toEqual(['b', 'light ends are sent', 'aaaa']);
    answer();
    await started;
    expect(calls).toEqual(['b', 'light ends are sent', 'aaaa', 'call ends']);
  });
});
