import type { JobLeft, ShownProcess, ShownQueue } from '@errand/contracts';
import { takeOverText } from './take-over.js';

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other fields are not looked at
const some = <T>(value: Partial<T>): T => value as T;
const left = (now: JobLeft['now']) => [some<JobLeft>({ now })];
const lost = some<ShownProcess>({
  kind: 'runner',
  state: 'lost',
  queues: ['scripts', 'scripts.gpu'],
  left: left('in-hand'),
});
const other = some<ShownProcess>({ kind: 'runner', state: 'ready', queues: ['scripts', 'scripts.gpu'] });

describe('What becomes of the jobs of a lost process', () => {
  it('Other processes take them over if they are alive', () => {
    expect(takeOverText(lost, [lost, other], [])).toBe('Other processes take its jobs over.');
  });

  it('Nobody takes them over where no process is alive, or one only drains', () => {
    expect(takeOverText(lost, [lost, { ...other, queues: ['scripts'] }], [])).toBe(
      'No living process takes jobs of scripts.gpu: start a script-runner.',
    );
    expect(takeOverText(lost, [{ ...other, state: 'draining' }], [])).toMatch(
      /^No living process .* scripts, scripts\.gpu:/,
    );
  });

  it('They wait while their queue is paused', () => {
    const paused = some<ShownQueue>({ name: 'scripts', paused: { at: null, by: null, note: null } });
    expect(takeOverText(lost, [other], [paused])).toBe('Jobs of scripts wait until the queue is resumed.');
  });

  it('Nothing is said without open jobs', () => {
    expect(takeOverText({ ...lost, left: left('gone') }, [], [])).toBe('');
    expect(takeOverText({ ...lost, kind: 'api' }, [], [])).toBe('');
  });
});
