import { Semaphore } from './semaphore.js';

describe('Semaphore', () => {
  it('The semaphore grants no more permits than it has', () => {
    const permits = new Semaphore(2);
    expect([permits.tryAcquire(), permits.tryAcquire(), permits.tryAcquire()]).toEqual([true, true, false]);
    permits.release();
    expect([permits.tryAcquire(), permits.tryAcquire()]).toEqual([true, false]);
  });

  it('A released permit goes to the longest waiter before any new request', async () => {
    const permits = new Semaphore(1);
    await permits.acquire();
    const served: string[] = [];
    const take = async (who: string) => {
      await permits.acquire();
      served.push(who);
    };
    const all = [take('first'), take('second')];
    permits.release();
    expect(permits.tryAcquire()).toBe(false);
    await all[0];
    expect(served).toEqual(['first']);
    permits.release();
    await all[1];
    expect(served).toEqual(['first', 'second']);
    permits.release();
    expect(permits.tryAcquire()).toBe(true);
  });

  it('The semaphore runs work in the order of its calls, and releases the permit of work that fails', async () => {
    const permits = new Semaphore(2);
    const order: number[] = [];
    let running = 0;
    let most = 0;
    const work = async (n: number) => {
      order.push(n);
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      if (n === 1) throw new Error('failed');
      return n;
    };
    const results = await Promise.allSettled([0, 1, 2, 3, 4].map((n) => permits.run(() => work(n))));
    expect(order).toEqual([0, 1, 2, 3, 4]);
    expect(most).toBe(2);
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
    expect([permits.tryAcquire(), permits.tryAcquire(), permits.tryAcquire()]).toEqual([true, true, false]);
  });
});
