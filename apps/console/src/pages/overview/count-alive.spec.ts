import type { ShownProcess } from '@errand/contracts';
import { countAlive, queueOfLabel } from './count-alive.js';

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other fields are not looked at
const runner = (state: ShownProcess['state'], ...queues: string[]) => ({ state, queues }) as ShownProcess;

it('Living and lost processes are counted by the queue that they take from', () => {
  const processes = [
    runner('ready', 'scripts'),
    runner('draining', 'scripts', 'scripts.gpu'),
    runner('lost', 'scripts.gpu'),
    runner('ready', 'invocations'),
  ];
  expect(countAlive(processes, queueOfLabel('default'))).toEqual({ alive: 2, lost: 0 });
  expect(countAlive(processes, queueOfLabel('gpu'))).toEqual({ alive: 1, lost: 1 });
});
