// A real MCP server on stdin and stdout, for tests of commands.
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

serveStdio(() => {
  const server = new Server({ name: 'command', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: [{ name: 'env', inputSchema: { type: 'object' } }] }));
  server.setRequestHandler('tools/call', () => ({
    content: [{ type: 'text', text: JSON.stringify([process.argv.slice(2), process.env]) }],
  }));
  return server;
});
