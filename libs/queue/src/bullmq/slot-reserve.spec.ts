import { MeanRun } from './mean-run.js';
import { RecentStarts } from './recent-starts.js';
import { SlotReserve } from './slot-reserve.js';

const SLOTS = 4;

/** A reserve, and `endNext`, which starts and ends a job and returns for how long its slot stays free (ms). */
function newReserve() {
  const starts = new RecentStarts(SLOTS);
  const meanRun = new MeanRun();
  const reserve = new SlotReserve(SLOTS, starts, meanRun);
  const endNext = (tenant: string, ranMs: number, now = 0, othersWait = true) => {
    starts.note(tenant);
    meanRun.note(ranMs);
    return reserve.endOf(tenant, now, othersWait);
  };
  return { reserve, endNext };
}

/** A reserve whose last starts were three of `heavy` for each one of `light`. Runs take `ranMs`. */
function fullReserve(ranMs: number) {
  const made = newReserve();
  for (let n = 0; n < 8; n++) made.endNext(n % 4 === 0 ? 'light' : 'heavy', ranMs, 0, false);
  return made;
}

describe('The reserve of a slot for a light tenant', () => {
  it('The slot of a light tenant stays free for a twelfth of a mean run', () => {
    expect(fullReserve(120).reserve.endOf('light', 1_000, true)).toBe(10);
  });

  it('A slot stays free for at most 20 ms, however long the jobs run', () => {
    expect(fullReserve(60_000).reserve.endOf('light', 1_000, true)).toBe(20);
  });

  it('No slot stays free among jobs that run for a few milliseconds', () => {
    expect(fullReserve(20).reserve.endOf('light', 1_000, true)).toBe(0);
  });

  it('The slot of a tenant with most starts is taken at once', () => {
    expect(fullReserve(120).reserve.endOf('heavy', 1_000, true)).toBe(0);
  });

  it('The slot of a tenant that is alone is taken at once', () => {
    expect(newReserve().endNext('one', 60_000)).toBe(0);
  });

  it('No slot stays free while no other job waits for it', () => {
    expect(fullReserve(120).reserve.endOf('light', 1_000, false)).toBe(0);
  });

  it('At most a sixteenth of the time of all slots is reserved, however many jobs of light tenants end', () => {
    const { reserve, endNext } = fullReserve(120);
    reserve.endOf('light', 0, true);
    let reservedMs = 0;
    for (let now = 1_000; now < 11_000; now++)
      reservedMs += endNext(now % 2 === 0 ? 'heavy' : `light-${now % 7}`, 120, now);
    expect(reservedMs).toBeGreaterThan(0);
    expect(reservedMs).toBeLessThanOrEqual((10_000 * SLOTS) / 16 + 20);
  });
});
