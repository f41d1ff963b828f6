import { spawnSync } from 'node:child_process';
import { isGoneFromHere, newRunnerId } from './runner-id.js';

describe('the name of a runner', () => {
  it('is new each time, and tells while its process lives', () => {
    const [one, other] = [newRunnerId(), newRunnerId()];
    expect(one).not.toBe(other);
    expect(isGoneFromHere(one)).toBe(false);
  });

  it('tells that the process is gone, here and nowhere else', () => {
    const { pid } = spawnSync(process.execPath, ['-e', '0']);
    const gone = newRunnerId().replace(`-${process.pid}-`, `-${pid}-`);
    expect(isGoneFromHere(gone)).toBe(true);
    expect(isGoneFromHere(`elsewhere-${gone}`)).toBe(false);
    expect(isGoneFromHere('test-1')).toBe(false);
    expect(isGoneFromHere('')).toBe(false);
  });
});
