import { parseRedisAddress, showRedisAddress } from './redis-address.js';

describe('An address of Redis', () => {
  it.each([
    ['redis://10.0.0.1', { kind: 'plain', tls: false, nodes: [{ host: '10.0.0.1', port: 6379 }], db: 0 }],
    [
      'rediss://me:p%40ss@redis.example:6380/3',
      {
        kind: 'plain',
        tls: true,
        nodes: [{ host: 'redis.example', port: 6380 }],
        username: 'me',
        password: 'p@ss',
        db: 3,
      },
    ],
    ['redis://:pw@[::1]:7000/?db=2', { kind: 'plain', nodes: [{ host: '::1', port: 7000 }], password: 'pw', db: 2 }],
    [
      'redis+cluster://user:pw@a:1,b:2',
      {
        kind: 'cluster',
        tls: false,
        nodes: [
          { host: 'a', port: 1 },
          { host: 'b', port: 2 },
        ],
        username: 'user',
        password: 'pw',
        db: 0,
      },
    ],
    ['rediss+cluster://a:1/0', { kind: 'cluster', tls: true, nodes: [{ host: 'a', port: 1 }], db: 0 }],
    [
      'redis+sentinel://u:p@a:1,b:2/mymaster?db=4&sentinelPassword=s%2Fp&sentinelUsername=watcher',
      {
        kind: 'sentinel',
        master: 'mymaster',
        db: 4,
        username: 'u',
        password: 'p',
        sentinelUsername: 'watcher',
        sentinelPassword: 's/p',
      },
    ],
    ['REDISS+SENTINEL://a:1/m', { kind: 'sentinel', tls: true, master: 'm', db: 0 }],
  ])('%s is read', (text, parts) => {
    expect(parseRedisAddress(text)).toMatchObject(parts);
  });

  it.each([
    ['http://a:1', 'must begin with redis://'],
    ['redis+sentinal://a:1/m', 'did you mean redis+sentinel://?'],
    ['a:6379', 'must begin with redis://'],
    ['', 'must begin with redis://'],
    ['redis://', 'must name a host'],
    ['redis:///0', 'must name a host'],
    ['redis://a:1,b:2', 'several need redis+cluster:// or redis+sentinel://'],
    ['redis+cluster://a,b:2', 'must have a port at host 1'],
    ['redis+cluster://a:1,b:x', 'must have a name or an IP address and a port as host 2'],
    ['redis+cluster://a:1,,b:2', 'as host 2'],
    ['redis+cluster://a:0', 'must have a port from 1 to 65535 at host 1'],
    ['redis+cluster://a:65536', 'must have a port from 1 to 65535 at host 1'],
    ['redis+cluster://a:1/2', 'a Redis Cluster has only database 0'],
    ['redis+cluster://a:1?db=0', 'a cluster address has no options'],
    ['redis+sentinel://a:1', 'must name the master'],
    ['redis+sentinel://a:1/', 'must name the master'],
    ['redis+sentinel://a:1/m/0', 'at most one /'],
    ['redis+sentinel://a:1/m?db=x', 'a whole number as its database'],
    ['redis+sentinel://a:1/m?sentinelPasword=x', 'did you mean sentinelPassword?'],
    ['redis://a:1/zero', 'a whole number as its database'],
    ['redis://a:1?family=5', 'the family 4 or 6'],
    ['redis://user@a:1', 'a password between the user and the @'],
    ['redis://:%zz@a:1', 'two hexadecimal digits behind each %'],
    ['redis://a:1#x', 'must name a host'],
    ['redis://a b:1', 'a name or an IP address'],
    ['redis://[::1:1', 'a name or an IP address'],
  ])('%j is refused with the message that it %s', (text, message) => {
    expect(() => parseRedisAddress(text)).toThrow(message);
  });

  it.each([
    'redis://me:hunter2secret@a:x',
    'redis://me:hunter2secret@a:1/zero?hunter2secret',
    'redis+cluster://me:hunter2secret@a,b',
    'redis+cluster://me:hunter2,secret/b',
    'redis+sentinel://me:hunter2secret@a:1?sentinelPassword=hunter2secret',
    'redis+sentinel://a:1/m?sentinelPassword=%hunter2secret',
    'redis://me:hunter2/secret@a:1',
    'redis://me:hunter2#secret@a:1',
    'redis+other://me:hunter2secret@a:1',
  ])('The refusal of an address with a password does not show the password (%#)', (text) => {
    const refusal = (() => {
      try {
        parseRedisAddress(text);
      } catch (error) {
        return String(error);
      }
      throw new Error('not refused');
    })();
    expect(refusal).not.toMatch(/hunter2|secret@|=secret/);
  });

  it('The shown form has the servers and the master, and no password', () => {
    expect(showRedisAddress(parseRedisAddress('redis+sentinel://u:p@[::1]:1,b:2/m?sentinelPassword=s'))).toBe(
      '[::1]:1,b:2/m',
    );
  });
});
