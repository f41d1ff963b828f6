import { SEVERAL, TakeLimit } from './take-limit.js';

const MOST = 50;
const MINUTE_MS = 60_000;

/** A limit with a clock of its own. `turns` lets it start groups of the size that it wants; `costOf` is the cost of a job in ms. */
function limitAt(start = 1_000) {
  let now = start;
  const limit = new TakeLimit(MOST, () => now);
  const turns = (count: number, tenants: readonly string[], costOf: (turn: number) => number) => {
    for (let turn = 0; turn < count; turn++) {
      const jobs = limit.next;
      const ms = jobs * costOf(turn);
      for (let n = 0; n < jobs; n++) limit.noteTenant(tenants[n % tenants.length]);
      now += ms;
      limit.noteTurn(jobs, ms);
    }
  };
  return { limit, turns, pass: (ms: number) => (now += ms) };
}

describe('The number of jobs that a consumer takes at a time', () => {
  it('A consumer takes as many as it can while it serves one tenant', () => {
    const { limit, turns } = limitAt();
    expect(limit.next).toBe(MOST);
    turns(100, ['one'], () => 5);
    expect(limit.next).toBe(MOST);
  });

  it('A consumer takes few jobs of several tenants, however quickly they start', () => {
    const { limit, turns } = limitAt();
    limit.noteTenant('one');
    limit.noteTenant('other');
    expect(limit.next).toBe(SEVERAL);
    turns(10, ['one', 'other'], () => 0.001);
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
    const { limit, turns, pass } = limitAt();
    turns(100, ['one', 'other'], () => 0.1);
    pass(MINUTE_MS / 2);
    turns(1, ['other'], () => 0.1);
    expect(limit.next).toBeLessThan(MOST);
    pass(MINUTE_MS / 2);
    expect(limit.next).toBe(MOST);
    limit.noteTenant('one');
    expect(limit.next).toBeLessThan(MOST);
  });

  it('Jobs without a tenant are no jobs of another tenant', () => {
    const { limit } = limitAt();
    for (const tenant of ['one', undefined, 'one', undefined]) limit.noteTenant(tenant);
    limit.noteTurn(1, 5);
    expect(limit.next).toBe(MOST);
  });
});
