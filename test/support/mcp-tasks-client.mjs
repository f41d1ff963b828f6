// Calls one tool with the official tasks client, which is an ES module, and prints what it saw as one line of JSON.
//   node mcp-tasks-client.mjs <url> '{"name", "arguments", "answer"?, "cancel"?}'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createTaskSessionFromClient } from '@modelcontextprotocol/ext-tasks/client';

const [url, text] = process.argv.slice(2);
const { name, arguments: args, answer, cancel } = JSON.parse(text);
const framing = {
  protocolVersion: '2026-07-28',
  clientInfo: { name: 'tasks-tester', version: '1' },
  clientCapabilities: { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
};

let id = 1_000;
/** The tasks client writes the whole message; this sends it. */
async function rawDispatch(request, options = {}) {
  const { method, params = {} } = request;
  const named = params.name ?? params.taskId;
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: id++, ...request }),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': framing.protocolVersion,
      'mcp-method': method,
      ...(named !== undefined && { 'mcp-name': named }),
    },
    signal: options.signal,
  });
  const { result, error } = await response.json();
  return error ? { kind: 'error', error } : { kind: 'result', result };
}

const client = new Client(framing.clientInfo, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const questions = [];
const session = createTaskSessionFromClient(client, {
  endpointId: 'errand',
  rawDispatch,
  v2RequestFraming: framing,
  onInputRequest: async ({ params }) => {
    questions.push(params.message);
    return answer;
  },
});
const execution = await session.callTool(name, args);
if (cancel) await execution.cancel();
const states = [];
const { outcome } = await execution.settle({
  onEvent: (event) => void (event.type === 'task' && states.push(event.task.status)),
});
const failure = outcome.error && { code: outcome.error.code, message: outcome.error.message };
console.log(
  JSON.stringify({
    kind: execution.kind,
    taskId: execution.handle?.taskId,
    status: outcome.status,
    result: outcome.result,
    failure,
    questions,
    states,
  }),
);
await session.close();
await client.close();
