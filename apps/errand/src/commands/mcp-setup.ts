import { isObject } from '@errand/contracts';
import { EXIT, UnreachableError } from '../client/client-errors.js';
import { clientCommand } from '../client/run-client-command.js';
import { shellWord } from '../terminal.js';
import { print, printJson } from '../terminal.js';

/** The place for the key. The command never prints a key. */
const AUTHORIZATION = 'Bearer <key>';
const NAME = 'errand';

/**
 * `./errand mcp [agent]`: prints the configuration of MCP clients for this Errand, with the place for the key if it needs one. With an
 * agent, it is that of the agent's inventory.
 */
export const run = clientCommand(async (client, { options: { json }, words: [agent] }) => {
  // A wrong address, key or agent is refused here, and not by the client into which the text is pasted.
  const tools = await client.get<unknown>('/v1/tools', { limit: '1', ...(agent !== undefined && { agent }) });
  if (!isObject(tools) || !Array.isArray(tools['items']))
    throw new UnreachableError(`The server at ${client.url} is not Errand: its response is not a list of tools`);
  const url = `${client.url}/mcp${agent === undefined ? '' : `/${encodeURIComponent(agent)}`}`;
  const needsKey = client.target.key !== undefined;
  const headers = needsKey ? { headers: { Authorization: AUTHORIZATION } } : {};
  const configuration = { mcpServers: { [NAME]: { type: 'http', url, ...headers } } };
  if (json) printJson(configuration);
  else for (const line of linesFor(url, needsKey, configuration)) print(line);
  return EXIT.success;
});

function linesFor(url: string, needsKey: boolean, configuration: object): string[] {
  const header = needsKey ? ` --header ${shellWord(`Authorization: ${AUTHORIZATION}`)}` : '';
  return [
    'Claude Code:',
    `  claude mcp add --transport http ${NAME} ${shellWord(url)}${header}`,
    'MCP Inspector:',
    inspectorLine(url, needsKey),
    'Other clients, in their configuration file:',
    JSON.stringify(configuration, undefined, 2),
    ...(needsKey ? ['Put one of the keys of ERRAND_API_KEYS in the place of <key>.'] : []),
  ];
}

/** The command line of the Inspector takes no headers, so that its page must be used with a key. */
function inspectorLine(url: string, needsKey: boolean): string {
  const program = '  npx @modelcontextprotocol/inspector';
  if (needsKey) return `${program}   (Streamable HTTP, ${url}, header Authorization: ${AUTHORIZATION})`;
  return `${program} --cli ${shellWord(url)} --transport http --method tools/list`;
}
