import type { JobLeft, ShownProcess } from '@errand/contracts';
import { lossesOf } from './losses.js';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const job = (over: Partial<JobLeft>): JobLeft => ({
  invocationId: 'inv_1',
  step: 0,
  toolId: 'job:slow',
  since: at(2),
  process: null,
  now: 'waiting',
  ...over,
});
const lost = (id: string, lastSeenAt: string, left: JobLeft[]) =>
  ({ id, kind: 'runner', lastSeenAt, left }) as unknown as ShownProcess;

describe('The losses of an invocation', () => {
  it('Each lost process that had it is a loss, oldest first, at its last heartbeat', () => {
    const processes = [
      lost('runner-b', at(9), [job({ since: at(8), now: 'taken-over', process: 'runner-c' })]),
      lost('runner-a', at(4), [job({}), job({ invocationId: 'inv_2' })]),
      { id: 'runner-c', kind: 'runner', lastSeenAt: at(10) } as unknown as ShownProcess,
    ];
    expect(lossesOf('inv_1', processes).map((loss) => [loss.process, loss.at, loss.successor])).toEqual([
      ['runner-a', at(4), null],
      ['runner-b', at(9), 'runner-c'],
    ]);
  });

  it('A loss before the next heartbeat is at the start of the job, and the lost process is no successor', () => {
    const [loss] = lossesOf('inv_1', [lost('runner-a', at(1), [job({ now: 'in-hand', process: 'runner-a' })])]);
    expect(loss).toMatchObject({ at: at(2), successor: null });
  });
});
