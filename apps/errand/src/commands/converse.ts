import { isObject } from '@errand/contracts';
import { followTurn } from '../agent/follow-turn.js';
import { Keyboard } from '../agent/keyboard.js';
import type { ApiClient } from '../client/api-client.js';
import { EXIT } from '../client/client-errors.js';
import { requireInvocation } from '../client/invocation-path.js';
import { clientCommand, type ClientOptions } from '../client/run-client-command.js';
import { readInput, requireJson } from '../read-input.js';
import { colour, escapeControls, say, shellWord } from '../terminal.js';
import { UsageError } from '../command-line.js';

interface Options extends ClientOptions {
  session?: string;
  tools?: string;
}

/** A conversation with an agent in the terminal. */
interface Conversation {
  agent: string;
  session?: string;
  /** The client tools, as JSON text. */
  tools?: string;
  keyboard: Keyboard;
  json?: boolean;
}

/**
 * `./errand agent <id> [message…]`: a conversation. A person gets a prompt for the next message after each answer. Otherwise a message on
 * the command line is the only one; without it, each line of stdin is a message.
 */
export const run = clientCommand<Options>(async (client, { options, words: [agent = '', ...words] }) => {
  const keyboard = new Keyboard();
  const tools = options.tools === undefined ? undefined : await readTools(options.tools);
  const talk: Conversation = { agent, keyboard, json: options.json === true, ...(tools !== undefined && { tools }) };
  if (options.session !== undefined) talk.session = options.session;
  try {
    return await converse(client, talk, words.join(' '));
  } finally {
    keyboard.close();
  }
});

async function converse(client: ApiClient, talk: Conversation, first: string): Promise<number> {
  const { keyboard } = talk;
  const isSingle = talk.json || (first !== '' && !keyboard.isTerminal);
  if (first === '' && talk.json) throw new UsageError('The message is missing: --json runs one turn, so it needs one');
  // Without a message, a wrong address, key or agent would show only after the first line.
  if (first === '') await client.get(`/v1/agents/${encodeURIComponent(talk.agent)}`);
  let exitCode: number = EXIT.success;
  for (let message: string | undefined = first; message !== undefined;) {
    if (message.trim() !== '') exitCode = await takeTurn(client, talk, message);
    message = isSingle ? undefined : await keyboard.ask(`${colour.bold('you')} › `);
  }
  if (talk.session !== undefined && talk.json !== true) {
    const again = `./errand agent ${shellWord(talk.agent)} --session ${shellWord(talk.session)}${client.target.again}`;
    say(`\n${colour.dim(`To continue this conversation: ${escapeControls(again)}`)}`);
  }
  return exitCode;
}

/** Submits a message and follows its turn. The first turn decides the session of the next ones. @returns the exit code */
export async function takeTurn(client: ApiClient, talk: Conversation, message: string): Promise<number> {
  const { agent, session, tools, keyboard, json } = talk;
  const fields = [
    `"toolId":${JSON.stringify(`agent:${agent}`)}`,
    `"arguments":{"message":${JSON.stringify(message)}${tools === undefined ? '' : `,"tools":${tools}`}}`,
    ...(session === undefined ? [] : [`"session":${JSON.stringify(session)}`]),
  ];
  const accepted = requireInvocation(
    await client.post<unknown>('/v1/invocations', `{${fields.join(',')}}`),
    client.url,
  );
  talk.session = accepted.session ?? session;
  const ended = await followTurn(client, accepted.id, { keyboard, json: json === true });
  if (ended) return ended.status === 'succeeded' ? EXIT.success : EXIT.failed;
  say(`The turn waits for an answer. To see it: ./errand get ${accepted.id}${client.target.again}`);
  return EXIT.failed;
}

/** @throws UsageError if the file is not a list of tools. The API checks each of them. */
async function readTools(file: string): Promise<string> {
  const text = requireJson(await readInput(file, 'the tools as JSON'), 'The list of client tools');
  const tools: unknown = JSON.parse(text);
  if (Array.isArray(tools) && tools.every((tool) => isObject(tool))) return text;
  throw new UsageError(`The file '${file}' must have a list of tools: [{"name": …, "parameters": …}]`);
}
