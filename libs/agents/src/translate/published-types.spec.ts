import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { readMessage } from './read-message.js';
import { toToolMessages } from './tool-messages.js';

/**
 * The messages in both directions, declared with the published types of the two SDKs: `npm run typecheck` fails if a shape here is not one
 * of the API, or if a message that Errand writes does not fit.
 */
const ECHO = '{"value":"hi"}';
const TOOL_CALL: OpenAI.ChatCompletionMessageToolCall = {
  id: 'call_1',
  type: 'function',
  function: { name: 'core__echo', arguments: ECHO },
};
const CHAT: OpenAI.ChatCompletionMessage = {
  role: 'assistant',
  content: 'I will.',
  refusal: null,
  tool_calls: [TOOL_CALL],
};
const COMPLETION: OpenAI.ChatCompletion = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, finish_reason: 'tool_calls', logprobs: null, message: CHAT }],
};
const OUTPUT: OpenAI.Responses.ResponseOutputItem[] = [
  { type: 'reasoning', id: 'r', summary: [] },
  { type: 'message', id: 'm', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'I will.', annotations: [] }] }, // prettier-ignore
  { type: 'web_search_call', id: 'w', status: 'completed', action: { type: 'search', query: 'q' } },
  { type: 'function_call', id: 'f', call_id: 'call_1', name: 'core__echo', arguments: ECHO, status: 'completed' },
];
const RESPONSE: Pick<OpenAI.Responses.Response, 'object' | 'status' | 'output'> = {
  object: 'response',
  status: 'completed',
  output: OUTPUT,
};
const BLOCKS = [
  { type: 'thinking', thinking: 'Hm.', signature: 's' },
  { type: 'text', text: 'I will.', citations: null },
  { type: 'tool_use', id: 'call_1', name: 'core__echo', input: { value: 'hi' } },
] satisfies Anthropic.ContentBlockParam[];
const ANTHROPIC: Anthropic.MessageParam = { role: 'assistant', content: BLOCKS };
const ANTHROPIC_RESPONSE = {
  type: 'message',
  role: 'assistant',
  content: BLOCKS,
  stop_reason: 'tool_use',
} satisfies Pick<Anthropic.Message, 'type' | 'role' | 'stop_reason'> & { content: unknown };

const CALLS = [{ callId: 'call_1', toolId: 'core__echo', arguments: { value: 'hi' }, isCustom: false, faults: [] }];
const ANSWERS = [
  { callId: 'call_1', content: 'hi', isError: false },
  { callId: 'call_2', content: 'Observation: Error - No.', isError: true },
];

it.each([
  ['openai', 'a message', CHAT],
  ['openai', 'a completion', COMPLETION],
  ['responses', 'the list of output items', OUTPUT],
  ['responses', 'a response', RESPONSE],
  ['anthropic', 'a message', ANTHROPIC],
  ['anthropic', 'a response', ANTHROPIC_RESPONSE],
])('A message of the form %s is read from %s with its published type', (form, _what, message) => {
  expect(readMessage(message)).toEqual({ form, calls: CALLS, responseText: 'I will.', warnings: [] });
});

it('The answers in the form openai are tool messages of the published type', () => {
  const messages: OpenAI.ChatCompletionToolMessageParam[] = toToolMessages('openai', ANSWERS);
  expect(messages).toEqual([
    { role: 'tool', tool_call_id: 'call_1', content: 'hi' },
    { role: 'tool', tool_call_id: 'call_2', content: 'Observation: Error - No.' },
  ]);
});

it('The answers in the form responses are input items of the published type', () => {
  const custom = { callId: 'call_3', content: 'No.', isError: true, isCustom: true };
  const items: OpenAI.Responses.ResponseInputItem[] = toToolMessages('responses', [...ANSWERS, custom]);
  expect(items).toEqual([
    { type: 'function_call_output', call_id: 'call_1', output: 'hi' },
    { type: 'function_call_output', call_id: 'call_2', output: 'Observation: Error - No.' },
    { type: 'custom_tool_call_output', call_id: 'call_3', output: 'No.' },
  ]);
});

it('The answers in the form anthropic are one message of the published type', () => {
  const messages: Anthropic.MessageParam[] = toToolMessages('anthropic', ANSWERS);
  expect(messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_1', content: 'hi' },
        { type: 'tool_result', tool_use_id: 'call_2', content: 'Observation: Error - No.', is_error: true },
      ],
    },
  ]);
});

it('No answers are no messages in every form', () => {
  expect((['openai', 'responses', 'anthropic'] as const).map((form) => toToolMessages(form, []))).toEqual([[], [], []]);
});
