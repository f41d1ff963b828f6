import { addressOfProcess, AT_ONCE } from './process-address.js';

describe('The address of a process', () => {
  const all = Array.from({ length: AT_ONCE + 1 }, (_, n) => `worker-${n}`);

  it('A process on the page is a place of this page', () => {
    expect(addressOfProcess('worker-2', { shown: ['worker-2'], all })).toBe('#process-worker-2');
  });

  it('A process that the filter hides is in its part of the whole list', () => {
    expect(addressOfProcess('worker-2', { shown: [], all })).toBe('/console/processes#process-worker-2');
    expect(addressOfProcess(`worker-${AT_ONCE}`, { shown: [], all })).toBe(
      `/console/processes?part=2#process-worker-${AT_ONCE}`,
    );
  });

  it('A process that is not in the list any more has no address', () => {
    expect(addressOfProcess('worker-99', { shown: [], all })).toBeUndefined();
  });
});
