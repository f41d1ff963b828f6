// SERVERS MCP servers of the SDK with TOOLS tools each, at `/<n>` of one address, which is sent to the parent.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

const toolsOf = (server) =>
  Array.from({ length: Number(process.env.TOOLS) }, (_, n) => ({
    name: `tool_${n}`,
    description: `Updates the ticket number ${n} of the tracker ${server} and returns its new state`,
    inputSchema: {
      type: 'object',
      properties: { ticket_id: { type: 'string' }, limit: { type: 'integer', minimum: 1, maximum: 100 } },
      required: ['ticket_id'],
    },
  }));

function handlerOf(number) {
  const tools = toolsOf(number);
  const make = () => {
    const server = new Server({ name: `tracker-${number}`, version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools }));
    return server;
  };
  return toNodeHandler(createMcpHandler(make));
}

const handlers = Array.from({ length: Number(process.env.SERVERS) }, (_, number) => handlerOf(number));
const http = createServer((request, response) => void handlers[Number(request.url.slice(1))](request, response));
http.listen(0, '127.0.0.1', () => process.send({ ready: `http://127.0.0.1:${http.address().port}` }));
