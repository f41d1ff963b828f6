// The language model of the chaos test of turns: a server of OpenAI's chat completions that answers by the kind of the turn and the round.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const block = (...calls) => `I act.\n<ACTION>${calls.join('')}</ACTION>`;
const echo = (value) => `<core:echo><value>${value}</value></core:echo>`;
const native = (...names) =>
  names.map((name, n) => ({
    index: n,
    id: `call_${n}_${name}`,
    type: 'function',
    function: { name: 'core__echo', arguments: JSON.stringify({ value: name }) },
  }));

/** The kinds of turns: what the model answers in each round. The last answer is the result of the turn. */
export const TURNS = {
  talk: () => ['Hello.'],
  call: (n) => [block(echo(n)), 'Called.'],
  chain: (n) => [block(echo(n), echo('{{steps.1.result}}')), block(echo('again')), 'Chained.'],
  native: () => [{ toolCalls: native('a', 'b', 'c') }, 'All three.'],
  repair: (n) => [block('<core:ecko/>'), block(echo(n)), 'Repaired.'],
  effect: (n) => [block(`<kinds:mark><of>turn-${n}</of></kinds:mark>`), 'Marked.'],
  client: () => [block('<paint><color>red</color></paint>'), 'Painted.'],
};

/**
 * Starts the model. It records for each turn the rounds that it was asked for. The message of a turn is `<kind> <number>`.
 * @returns its address, the record by message, and `close`
 */
export async function startTurnModel() {
  const asked = new Map();
  const server = createServer((request, response) => void respond(request, response, asked));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${server.address().port}/v1`, asked, close };
}

async function respond(request, response, asked) {
  const { messages } = JSON.parse(await text(request));
  const begin = messages.findLastIndex(({ role, content }) => role === 'user' && /^\w+ \d+$/.test(content));
  const { content: message } = messages[begin];
  const round = messages.slice(begin).filter(({ role }) => role === 'assistant').length;
  asked.set(message, [...(asked.get(message) ?? []), round]);
  const [kind, n] = message.split(' ');
  const answer = TURNS[kind](n)[round] ?? 'Too many rounds.';
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (delta, finish = null) =>
    response.write(
      `data: ${JSON.stringify({ model: 'drill', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
    );
  if (typeof answer === 'string')
    for (const word of answer.match(/\s*\S+/g)) {
      send({ content: word });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  else send({ tool_calls: answer.toolCalls });
  send({}, typeof answer === 'string' ? 'stop' : 'tool_calls');
  response.end('data: [DONE]\n\n');
}
