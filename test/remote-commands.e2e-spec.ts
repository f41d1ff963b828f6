import { join } from 'node:path';
import { NO_SERVERS, RemoteLibrary } from './support/remote-library.js';
import { useStack } from './support/start-stack.js';

const COMMAND = {
  command: process.execPath,
  args: [join(__dirname, 'support/stdio-server.mjs'), 'x'],
  env: { A: 'b' },
};

describe('A server that is a command', () => {
  const stack = useStack({ with: ['worker'], library: NO_SERVERS, env: { ERRAND_MCP_COMMANDS: 'true' } });
  const library = new RemoteLibrary(stack);

  it('A command is listed and called, with its arguments and no environment except its own', async () => {
    library.setServers({ local: COMMAND });
    await library.untilListed('local:env');
    const { result } = await library.call('local:env');
    expect(JSON.parse(result as string)).toEqual([['x'], { A: 'b' }]);
  });

  it('A command that does not exist is away', async () => {
    library.setServers({ absent: { command: '/does/not/exist' } });
    expect((await library.untilProblem(/'absent' is away/)).message).toContain('ENOENT');
  });
});

describe('A worker without ERRAND_MCP_COMMANDS', () => {
  const library = new RemoteLibrary(useStack({ with: ['worker'], library: NO_SERVERS }));

  it('A command is never started where the operator does not allow commands', async () => {
    library.setServers({ local: COMMAND });
    const { message } = await library.untilProblem(/'local' is away/);
    expect(message).toContain('the operator does not allow commands');
  });
});
