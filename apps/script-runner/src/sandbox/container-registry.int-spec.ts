import { spawnSync } from 'node:child_process';
import { isGoneFromHere, newRunnerId } from './container-registry.js';

describe('The id of a runner', () => {
  it('A runner id is new each time, and its process is alive', () => {
    const [one, other] = [newRunnerId(), newRunnerId()];
    expect(one).not.toBe(other);
    expect(isGoneFromHere(one)).toBe(false);
  });

  it('isGoneFromHere detects a dead process only on this host', () => {
    const { pid } = spawnSync(process.execPath, ['-e', '0']);
    const gone = newRunnerId().replace(`-${process.pid}-`, `-${pid}-`);
    expect(isGoneFromHere(gone)).toBe(true);
    expect(isGoneFromHere(`elsewhere-${gone}`)).toBe(false);
    expect(isGoneFromHere('test-1')).toBe(false);
    expect(isGoneFromHere('')).toBe(false);
  });
});
