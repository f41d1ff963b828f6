// A server of the MCP SDK with `core__echo` and TOOLS more tools in memory, in pages of 200. Sends its address to the parent.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

const PAGE = 200;
const tools = Array.from({ length: Number(process.env.TOOLS) }, (_, n) => ({
  name: `tool_${n}`,
  description: `Updates the ticket number ${n} and returns its new state`,
  inputSchema: {
    type: 'object',
    properties: {
      ticket_id: { type: 'string', description: 'Which ticket to update' },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
    },
    required: ['ticket_id'],
  },
}));

function makeServer() {
  const server = new Server({ name: 'bare', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', ({ params }) => {
    const begin = Number(params?.cursor ?? 0);
    const end = begin + PAGE;
    return { tools: tools.slice(begin, end), ...(end < tools.length && { nextCursor: String(end) }) };
  });
  server.setRequestHandler('tools/call', ({ params }) => ({
    content: [{ type: 'text', text: String(params.arguments?.value) }],
  }));
  return server;
}

const handle = toNodeHandler(createMcpHandler(makeServer));
const server = createServer((request, response) => void handle(request, response));
server.listen(0, '127.0.0.1', () => process.send({ ready: `http://127.0.0.1:${server.address().port}/mcp` }));
