import { refusalOf } from './refusals.js';

describe('A refusal of Redis', () => {
  it.each([
    ['MOVED 866 127.0.0.1:7001', { isElsewhere: true, isMoved: true }],
    ["READONLY You can't write against a read only replica.", { isElsewhere: true, isMoved: false }],
    ['CLUSTERDOWN The cluster is down', { isElsewhere: true, isMoved: false }],
    ['UNBLOCKED force unblock from blocking operation', { isElsewhere: true }],
    ['TRYAGAIN Multiple keys request during rehashing of slot', { isElsewhere: false }],
    ['BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.', { isElsewhere: false }],
    ['NOREPLICAS Not enough good replicas to write.', { isElsewhere: false }],
    ["OOM command not allowed when used memory > 'maxmemory'.", { isElsewhere: false }],
    [
      'ERR Error running script (call to f_0123abcdef): @user_script:1: -READONLY You cannot write',
      { isElsewhere: true },
    ],
  ])('%j is recognized', (message, refusal) => {
    expect(refusalOf(new Error(message))).toMatchObject(refusal);
  });

  it.each(['ERR wrong number of arguments', 'Connection is closed.', 'the text READONLY of a tool', 'WRONGTYPE x'])(
    '%j is none',
    (message) => {
      expect(refusalOf(new Error(message))).toBeUndefined();
    },
  );
});
