import { eventually } from './support/eventually.js';
import { NO_SERVERS, RemoteLibrary } from './support/remote-library.js';
import { RemoteServer } from './support/remote-server.js';
import { useStack } from './support/start-stack.js';

const stack = useStack({ with: ['worker'], library: NO_SERVERS, env: { ERRAND_MCP_ALLOW: '127.0.0.1' } });
const { client } = stack;
const library = new RemoteLibrary(stack);
const portOf = ({ url }: RemoteServer) => Number(new URL(url).port);

describe('A server that is away', () => {
  it('A server that is away keeps its last list, is a problem since that time, and is used again when it is back', async () => {
    const server = await new RemoteServer().start();
    server.tools = [{ name: 'one', annotations: { readOnlyHint: true } }];
    library.setServers({ shaky: { url: server.url } });
    await library.untilListed('shaky:one');
    await server.close();
    const problem = await library.untilProblem(/'shaky' is away/);
    expect(problem).toMatchObject({ server: 'shaky', since: expect.any(String), line: 3 });
    expect(problem.file).toMatch(/mcp\.json$/);
    expect(await library.tools()).toMatchObject([{ toolId: 'shaky:one' }]);
    expect(await library.call('shaky:one', {}, { options: { attempts: 1 } })).toMatchObject({
      error: { type: 'ServiceError', message: expect.stringContaining("'shaky' failed") },
    });
    const back = new RemoteServer();
    back.tools = [{ name: 'one' }, { name: 'two' }];
    await back.start(portOf(server));
    await library.untilListed('shaky:two');
    await eventually(async () => (await library.problems()).length === 0);
    await back.close();
  });

  it('An edit of mcp.json is live while another of its servers is away', async () => {
    const server = await new RemoteServer().start();
    server.tools = [{ name: 'here' }];
    library.setServers({ gone: { url: 'http://127.0.0.1:9/mcp' }, old: { url: server.url } });
    await library.untilListed('old:here');
    await library.untilProblem(/'gone' is away/);
    library.setServers({ gone: { url: 'http://127.0.0.1:9/mcp' }, young: { url: server.url } });
    await library.untilListed('young:here');
    expect((await library.tools()).map(({ toolId }) => toolId)).toEqual(['young:here']);
    await server.close();
  });
});

describe('The list of a server', () => {
  it('A list is read again after an announced change, and after the time that the server names', async () => {
    const server = await new RemoteServer().start();
    server.tools = [{ name: 'one' }];
    library.setServers({ changing: { url: server.url } });
    await library.untilListed('changing:one');
    server.ttlMs = 5_000;
    server.tools = [{ name: 'one' }, { name: 'two' }];
    server.announceChange();
    await library.untilListed('changing:two');
    server.tools = [{ name: 'three' }];
    await library.untilListed('changing:three');
    expect((await client.get('/v1/tools/changing:one')).status).toBe(404);
    await server.close();
  });

  it('An API that starts later has the stored list while the server is gone', async () => {
    const server = await new RemoteServer().start();
    server.tools = [{ name: 'kept' }];
    library.setServers({ stored: { url: server.url } });
    await library.untilListed('stored:kept');
    await server.close();
    const url = await stack.startApi();
    await eventually(async () => (await fetch(`${url}/v1/tools/stored:kept`)).status === 200);
  });

  it('A server that never answers delays neither the start nor the tools of others', async () => {
    const [slow, fast] = [await new RemoteServer().start(), await new RemoteServer().start()];
    slow.intercept = () => true;
    fast.tools = [{ name: 'quick' }];
    library.setServers({ slow: { url: slow.url }, fast: { url: fast.url } });
    await library.untilListed('fast:quick');
    expect(await library.call('fast:quick')).toMatchObject({ status: 'succeeded' });
    expect(await library.untilProblem(/'slow' is away/)).toMatchObject({
      message: expect.stringContaining('did not answer'),
    });
    await Promise.all([slow.close(), fast.close()]);
  });
});

describe('A mistake in mcp.json', () => {
  it('A server with a mistake is a problem with its line and the nearest name, and the others stay', async () => {
    const server = await new RemoteServer().start();
    server.tools = [{ name: 'fine' }];
    // An edit with mistakes that loses servers would keep the last good version of the file.
    library.setServers({});
    await eventually(async () => (await library.tools()).length === 0);
    library.setServers({
      good: { url: server.url },
      bad: { url: server.url, header: { Authorization: 'Bearer very-secret-token' } },
      core: { url: server.url },
      both: { url: server.url, command: 'x' },
      ftp: { url: 'ftp://user:very-secret-password@host/' },
    });
    await library.untilListed('good:fine');
    const problems = await library.problems();
    expect(problems).toEqual([
      expect.objectContaining({ field: 'mcpServers.bad.header', line: 8, suggestion: 'headers' }),
      expect.objectContaining({ field: 'mcpServers.core', message: expect.stringContaining('reserved') }),
      expect.objectContaining({ field: 'mcpServers.both', message: expect.stringContaining('remove one') }),
      expect.objectContaining({ field: 'mcpServers.ftp.url', message: expect.stringContaining('https://') }),
    ]);
    expect(JSON.stringify(problems)).not.toContain('very-secret');
    await server.close();
  });
});
