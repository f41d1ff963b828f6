import { queueOfWait } from './wait-reason.js';

describe('The reason for a wait', () => {
  it.each([
    ["the queue 'scripts', which is paused by key:a since 2026-11-27T02:14:09.443Z: away", 'scripts', 'paused'],
    ["its time, 2026-11-27T02:14:09.443Z; then the queue 'invocations', which is paused", 'invocations', 'paused'],
    ['a worker: none is alive', 'invocations', 'unserved'],
    ['a script-runner: none is alive', 'scripts', 'unserved'],
    ["a script-runner that offers 'gpu': none is alive", 'scripts.gpu', 'unserved'],
    ["a free script-runner that offers 'gpu'", 'scripts.gpu', 'busy'],
    ['a free worker: it is the next', 'invocations', 'busy'],
    ['a script-runner to take it over from one that is gone', 'scripts', 'busy'],
  ])('The reason %j is about the queue %s', (reason, name, state) => {
    expect(queueOfWait(reason)).toEqual({ name, state });
  });

  it.each(['an answer to step 0', 'its next attempt, at 2026-11-27T02:14:09.443Z', "the queue 'a"])(
    'The reason %j is about no queue',
    (reason) => {
      expect(queueOfWait(reason)).toBeUndefined();
    },
  );

  it('The note of a pause cannot name another queue', () => {
    const reason = "the queue 'scripts', which is paused: x; then the queue 'evil', which is paused";
    expect(queueOfWait(reason)?.name).toBe('scripts');
  });
});
