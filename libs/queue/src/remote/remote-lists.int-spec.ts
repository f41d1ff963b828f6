import type { RemoteServer } from '@errand/contracts';
import { eventually } from '../../../../test/support/eventually.js';
import { useQueues } from '../../test/use-queues.js';
import { digestOfServer, RemoteListCache, RemoteLists } from '../index.js';

const kit = useQueues();
const SERVER: RemoteServer = { name: 'far', url: 'https://far.example/mcp', file: '/library/mcp.json' };
const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });

let lists: RemoteLists;
let cache: RemoteListCache;
beforeAll(() => {
  lists = new RemoteLists(kit.queues);
  cache = new RemoteListCache(lists, kit.notifications);
});
afterEach(() => cache.close());

describe('The list of a server', () => {
  it('A stored list reaches every process, and a server that is away keeps it with the time since which it is away', async () => {
    const digest = digestOfServer(SERVER);
    cache.follow([SERVER]);
    await lists.store(digest, [tool('a'), tool('b')], ['lists nothing more']);
    await eventually(() => cache.get(SERVER)?.tools?.length === 2);
    const [first] = cache.get(SERVER)?.tools ?? [];
    await lists.storeAway(digest, 'no answer');
    await eventually(() => cache.get(SERVER)?.away !== undefined);
    const { since } = cache.get(SERVER)?.away ?? {};
    await lists.storeAway(digest, 'still no answer');
    await eventually(() => cache.get(SERVER)?.away?.reason === 'still no answer');
    expect(cache.get(SERVER)).toMatchObject({ away: { since }, leftOut: ['lists nothing more'] });
    await lists.store(digest, [tool('a')], []);
    await eventually(() => cache.get(SERVER)?.away === undefined);
    expect(cache.get(SERVER)).toEqual({ tools: [tool('a')] });
    // An equal tool is not made again.
    expect(cache.get(SERVER)?.tools?.[0]).toBe(first);
  });

  it('A process that starts later has the list after its first read', async () => {
    await lists.store(digestOfServer(SERVER), [tool('kept')], []);
    const later = new RemoteListCache(lists, kit.notifications);
    later.follow([SERVER]);
    await later.firstRead(60_000);
    expect(later.get(SERVER)?.tools).toEqual([tool('kept')]);
    later.close();
  });

  it('One worker lists a server until it releases the server or its claim expires', async () => {
    const digest = digestOfServer({ ...SERVER, name: 'claimed' });
    expect(await lists.claim(digest, 'one', 60_000)).toBe(true);
    expect(await lists.claim(digest, 'two', 60_000)).toBe(false);
    expect(await lists.claim(digest, 'one', 60_000)).toBe(true);
    await lists.release(digest, 'two');
    expect(await lists.claim(digest, 'two', 60_000)).toBe(false);
    await lists.release(digest, 'one');
    expect(await lists.claim(digest, 'two', 1)).toBe(true);
    await eventually(() => lists.claim(digest, 'three', 60_000));
  });

  it('The use of the tools does not change the digest of a server, and its connection does', () => {
    const digest = digestOfServer(SERVER);
    expect(digestOfServer({ ...SERVER, tools: ['a'], timeoutMs: 1, tags: ['x'], file: '/other' })).toBe(digest);
    expect(digestOfServer({ ...SERVER, headers: { a: 'b' } })).not.toBe(digest);
  });
});
