import { threadId } from 'node:worker_threads';

/** The tasks of the sample threads in the tests of the pool. */
export type SampleTask =
  | { do: 'echo'; value: unknown }
  | { do: 'spin' }
  | { do: 'match'; pattern: string; text: string }
  | { do: 'fill' }
  | { do: 'throw'; message: string }
  | { do: 'exit' }
  | { do: 'tell thread' }
  | { do: 'load'; steps: Int32Array };

/** The steps of a slow load of modules: the thread sets the first one and waits for the second. */
export const LOADING = 1;
export const LOADED = 2;

const WORK: { [Name in SampleTask['do']]: (task: Extract<SampleTask, { do: Name }>) => unknown } = {
  echo: ({ value }) => value,
  spin: () => {
    for (;;);
  },
  match: ({ pattern, text }) => new RegExp(pattern).test(text),
  fill: () => {
    const kept: string[][] = [];
    for (;;) kept.push(Array.from({ length: 10_000 }, (_, index) => `${kept.length}.${index}`));
  },
  throw: ({ message }) => {
    throw new RangeError(message);
  },
  exit: () => process.exit(3),
  'tell thread': () => threadId,
  load: () => {
    throw new Error('the task has ended before its run');
  },
};

export function prepare(task: SampleTask): void {
  if (task.do !== 'load') return;
  Atomics.store(task.steps, 0, LOADING);
  Atomics.wait(task.steps, 0, LOADING);
}

export function run(task: SampleTask): unknown {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the table has a function for each kind of task
  return (WORK[task.do] as (task: SampleTask) => unknown)(task);
}
