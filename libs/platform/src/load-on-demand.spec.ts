import { loadOnDemand } from './load-on-demand.js';

describe('Something that is loaded on demand', () => {
  it('is loaded once, for all who ask', async () => {
    let loads = 0;
    const get = loadOnDemand(() => Promise.resolve(++loads));
    expect(loads).toBe(0);
    expect(await Promise.all([get(), get()])).toEqual([1, 1]);
    expect(await get()).toBe(1);
  });

  it('is loaded again after a failure, which all who waited hear of', async () => {
    let loads = 0;
    const get = loadOnDemand(() => (++loads === 1 ? Promise.reject(new Error('no memory')) : Promise.resolve(loads)));
    const asked = await Promise.allSettled([get(), get()]);
    expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await get()).toBe(2);
  });
});
