import { randomNumbers } from '../../test/job-lives.js';
import { eventually } from '../../../../test/support/eventually.js';
import { MeanRun } from './mean-run.js';
import { RecentStarts } from './recent-starts.js';
import { StartPace } from './start-pace.js';

const SLOTS = 20;

/**
 * A consumer with a clock of its own, and a flood whose jobs run for `lengthOf` ms. `run` lets it pass and returns when jobs of the flood ended, and
 * for how long slots were free while jobs waited (ms, summed over slots). `startLight` starts a job of a light tenant that ends at once. `stop` lets
 * time pass in which the process does nothing.
 */
function consumerOf(lengthOf: () => number, slots = SLOTS) {
  let now = 1_000;
  let free = slots;
  const running: number[] = [];
  const starts = new RecentStarts(slots);
  const meanRun = new MeanRun();
  const pace = new StartPace(
    slots,
    starts,
    meanRun,
    () => undefined,
    () => now,
  );
  const start = (tenant: string) => {
    starts.note(tenant);
    pace.noteStart(tenant);
  };
  const startFlood = () => {
    start('heavy');
    free--;
    const ms = lengthOf();
    running.push(now + ms);
    return ms;
  };
  const run = (ms: number) => {
    const ends: number[] = [];
    let freeMs = 0;
    for (const until = now + ms; now < until; now++) {
      for (const at of running.filter((end) => end <= now)) {
        running.splice(running.indexOf(at), 1);
        ends.push(now);
        free++;
      }
      const count = free === 0 ? 0 : pace.mayStart(free);
      for (let n = 0; n < count; n++) meanRun.note(startFlood());
      freeMs += free;
    }
    return { ends, freeMs };
  };
  return { pace, run, startLight: () => start('light'), stop: (ms: number) => (now += ms) };
}

/** The longest time without an end (ms). */
const longestPause = (ends: readonly number[]) => Math.max(...ends.map((at, n) => at - (ends[n - 1] ?? at)));

/** A flood of jobs of 100 ms, beside a light tenant that had jobs a moment ago. */
function besideLight(lengthOf: () => number = () => 100, slots = SLOTS) {
  const consumer = consumerOf(lengthOf, slots);
  consumer.run(300);
  consumer.startLight();
  return consumer;
}

describe('The pace of starts beside a light tenant', () => {
  it('Jobs of the same length that started together end one after the other after a second', () => {
    const consumer = besideLight();
    consumer.run(1_000);
    expect(longestPause(consumer.run(5_000).ends)).toBeLessThanOrEqual(30);
  });

  it('Without a light tenant, all jobs start as soon as a slot is free', () => {
    const { ends, freeMs } = consumerOf(() => 100).run(6_000);
    expect(freeMs).toBe(0);
    expect(longestPause(ends)).toBe(100);
  });

  it('Jobs start at once again a minute after the last job of a light tenant', () => {
    const consumer = besideLight(() => 50 + 100 * Math.random());
    expect(consumer.run(59_000).freeMs).toBeGreaterThan(0);
    consumer.run(1_001);
    expect(consumer.run(1_000).freeMs).toBe(0);
  });

  it('Slots are free for at most a 64th of their time and 500 ms, however the lengths of jobs differ', () => {
    const random = randomNumbers(1);
    const exponential = () => -20 * Math.log(1 - random());
    const consumer = besideLight(exponential);
    let freeMs = 0;
    for (let n = 0; n < 4; n++) {
      consumer.startLight();
      freeMs += consumer.run(50_000).freeMs;
    }
    expect(freeMs / SLOTS).toBeGreaterThan(200_000 / 100);
    expect(freeMs / SLOTS).toBeLessThan(200_000 / 64 + 500);
  });

  it('Jobs wait for their start as before after the process was stopped', () => {
    const consumer = besideLight();
    let stopped = 0;
    while (consumer.run(1).freeMs === 0) stopped++;
    consumer.stop(10_000);
    expect(stopped).toBeLessThan(1_000);
    expect(consumer.run(1_000).freeMs).toBeGreaterThan(0);
  });

  it('Slots are hardly free once jobs of the same length end one after the other', () => {
    const consumer = besideLight();
    consumer.run(1_000);
    expect(consumer.run(10_000).freeMs).toBeLessThanOrEqual((SLOTS * 10_000) / 200);
  });

  it.each([
    ['jobs of a few milliseconds', () => 3, SLOTS],
    ['a consumer with few slots', () => 100, 3],
  ])('Nothing waits: %s', (_, lengthOf, slots) => {
    expect(besideLight(lengthOf, slots).run(5_000).freeMs).toBe(0);
  });

  it('A job of a light tenant does not delay the next job', () => {
    const { pace, run, startLight } = besideLight();
    run(2_050);
    const before = pace.mayStart(SLOTS);
    startLight();
    expect(before).toBeGreaterThan(0);
    expect(pace.mayStart(SLOTS)).toBe(before);
  });

  it('If all jobs must wait, it says when one may start', async () => {
    let changes = 0;
    const starts = new RecentStarts(SLOTS);
    const meanRun = new MeanRun();
    const pace = new StartPace(SLOTS, starts, meanRun, () => changes++);
    const start = (tenant: string) => {
      starts.note(tenant);
      pace.noteStart(tenant);
    };
    meanRun.note(500);
    for (let n = 0; n < SLOTS; n++) start('heavy');
    start('light');
    for (let n = pace.mayStart(SLOTS); n > 0; n--) start('heavy');
    expect(pace.mayStart(SLOTS)).toBe(0);
    await eventually(() => changes > 0);
    expect(pace.mayStart(SLOTS)).toBeGreaterThan(0);
  });
});
