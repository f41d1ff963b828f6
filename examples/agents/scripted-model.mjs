// A language model for demonstrations: it needs no key and always gives the same answers.
// It speaks OpenAI's chat completions. `node scripted-model.mjs [port]` starts it and prints the settings for a worker.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const WORD_MS = 15;

/**
 * The answer to a conversation: it multiplies the first two numbers of the question by `core:math`, and reads the result in the
 * Observation.
 */
export function answerTo(messages) {
  const last = String(messages.at(-1)?.content ?? '');
  if (last.startsWith('Observation: Error')) return `The tool reported an error: ${last}`;
  if (last.startsWith('Observation:'))
    return `The product is ${last.split('Result: ')[1]?.split('\n')[0] ?? 'unknown'}.`;
  const [a, b] = last.match(/-?\d+(\.\d+)?/g) ?? [];
  if (b === undefined) return 'Please name two numbers, and I multiply them.';
  return `I multiply ${a} by ${b}.\n<ACTION>\n  <core:math>\n    <op>multiply</op>\n    <a>${a}</a>\n    <b>${b}</b>\n  </core:math>\n</ACTION>`;
}

/** Starts the server on 127.0.0.1. Port 0 takes a free one. @returns its base address, and `close` */
export async function startScriptedModel({ port = 0, answer = answerTo } = {}) {
  const server = createServer((request, response) => {
    respond(request, response, answer).catch((error) => refuse(response, 400, String(error)));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function respond(request, response, answer) {
  const body = await text(request);
  if (request.url !== '/v1/chat/completions') return refuse(response, 404, `Unknown path: ${request.url}`);
  const { messages, stream } = JSON.parse(body);
  const content = answer(messages);
  const usage = { prompt_tokens: messages.length, completion_tokens: 1, total_tokens: messages.length + 1 };
  if (!stream) {
    response.writeHead(200, { 'content-type': 'application/json' });
    const choice = { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' };
    return void response.end(JSON.stringify({ model: 'scripted', choices: [choice], usage }));
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (event) => response.write(`data: ${JSON.stringify({ model: 'scripted', ...event })}\n\n`);
  for (const word of content.match(/\s*\S+/g) ?? []) {
    send({ choices: [{ index: 0, delta: { content: word }, finish_reason: null }] });
    await pause(WORD_MS);
  }
  send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  send({ choices: [], usage });
  response.end('data: [DONE]\n\n');
}

function refuse(response, status, message) {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { url } = await startScriptedModel({ port: Number(process.argv[2] ?? 0) });
  console.log(`ERRAND_LLM_BASE_URL=${url} ERRAND_LLM_MODEL=scripted`);
  // `./errand demo` starts this program with a channel, and may die without ending it.
  process.on('disconnect', () => process.exit());
}
