import { RecentStarts } from './recent-starts.js';
import { BESIDE_LIGHT, SEVERAL, TakeLimit } from './take-limit.js';

const MOST = 50;
const MINUTE_MS = 60_000;

/** A limit with a clock of its own. `turns` lets it start groups of the size that it wants; `costOf` is the cost of a job in ms. */
function limitAt() {
  let now = 1_000;
  const starts = new RecentStarts(MOST);
  const limit = new TakeLimit(MOST, starts, () => now);
  const start = (tenant: string | undefined) => {
    starts.note(tenant);
    limit.noteTenant(tenant);
  };
  const turns = (count: number, tenants: readonly string[], costOf: (turn: number) => number) => {
    for (let turn = 0; turn < count; turn++) {
      const jobs = limit.next;
      const ms = jobs * costOf(turn);
      for (let n = 0; n < jobs; n++) start(tenants[n % tenants.length]);
      now += ms;
      limit.noteTurn(jobs, ms);
    }
  };
  return { limit, start, turns, pass: (ms: number) => (now += ms) };
}

describe('The number of jobs that a consumer takes at a time', () => {
  it('A consumer takes as many as it can while it serves one tenant', () => {
    const { limit, turns } = limitAt();
    expect(limit.next).toBe(MOST);
    turns(100, ['one'], () => 5);
    expect(limit.next).toBe(MOST);
  });

  it('A consumer takes few jobs of several tenants, however quickly they start', () => {
    const { limit, start, turns } = limitAt();
    start('one');
    start('other');
    expect(limit.next).toBe(SEVERAL);
    turns(10, ['one', 'other'], () => 0.001);
    expect(limit.next).toBe(SEVERAL);
  });

  it('A consumer takes very few jobs for a second after a job of a light tenant', () => {
    const { limit, start, pass } = limitAt();
    for (let n = 0; n < 20; n++) start('flood');
    start('light');
    expect(limit.next).toBe(BESIDE_LIGHT);
    pass(999);
    start('flood');
    expect(limit.next).toBe(BESIDE_LIGHT);
    pass(1);
    expect(limit.next).toBe(SEVERAL);
    start('light');
    expect(limit.next).toBe(BESIDE_LIGHT);
  });

  it('No tenant is light among several floods', () => {
    const { limit, start } = limitAt();
    for (let n = 0; n < 100; n++) start(['one', 'other', 'third'][n % 3]);
    expect(limit.next).toBe(SEVERAL);
  });

  it('A consumer takes no more jobs of several tenants than keep its thread busy for two milliseconds', () => {
    const { limit, turns } = limitAt();
    turns(10, ['one', 'other'], () => 0.25);
    expect(limit.next).toBe(8);
    turns(10, ['one', 'other'], () => 0.5);
    expect(limit.next).toBe(4);
  });

  it('A consumer takes one job at a time, and never none, if each keeps its thread busy for longer', () => {
    const { limit, turns } = limitAt();
    turns(3, ['one', 'other'], () => 400);
    expect(limit.next).toBe(1);
  });

  it('Pauses of the process do not change the number, although most groups have one', () => {
    const { limit, turns } = limitAt();
    turns(200, ['one', 'other'], (turn) => (turn % 4 === 0 ? 0.25 : 30));
    expect(limit.next).toBe(8);
  });

  it('The number follows a change of the jobs within eight groups', () => {
    const { limit, turns } = limitAt();
    turns(20, ['one', 'other'], () => 0.25);
    turns(8, ['one', 'other'], () => 5);
    expect(limit.next).toBe(1);
    turns(8, ['one', 'other'], () => 0.25);
    expect(limit.next).toBe(8);
  });

  it('A consumer that has had jobs of one tenant alone for a minute takes many again, and few with the first job of another', () => {
    const { limit, start, turns, pass } = limitAt();
    turns(100, ['one', 'other'], () => 0.1);
    pass(MINUTE_MS / 2);
    turns(1, ['other'], () => 0.1);
    expect(limit.next).toBeLessThan(MOST);
    pass(MINUTE_MS / 2);
    expect(limit.next).toBe(MOST);
    start('one');
    expect(limit.next).toBeLessThan(MOST);
  });

  it('Jobs without a tenant are no jobs of another tenant', () => {
    const { limit, start } = limitAt();
    for (const tenant of ['one', undefined, 'one', undefined]) start(tenant);
    limit.noteTurn(1, 5);
    expect(limit.next).toBe(MOST);
  });
});
