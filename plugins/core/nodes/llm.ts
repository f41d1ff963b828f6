import type { JsonObject } from '@errand/contracts';
import { deadline } from './deadline.js';
import { defineNode } from './define-node.js';
import { endpointFor } from './llm-endpoint.js';
import { parseAnswer, readCompletion, type Completion } from './llm-completion.js';
import { completionRequest, RESPONSE_FORMATS } from './llm-request.js';
import { sendToLlm } from './llm-send.js';

export const llm = defineNode({
  type: 'core:llm',
  displayName: 'LLM chat',
  effects: 'idempotent',
  description:
    'Asks a language model through an OpenAI-compatible endpoint (/chat/completions) and returns its answer. Give prompt (with system) or messages. The answer can be JSON of a given schema, and can be streamed.',
  inputs: {
    prompt: {
      dataFlowType: 'STRING',
      description: "The question; it follows messages as the user's message, if both are given",
    },
    system: { dataFlowType: 'STRING', description: 'Instructions for the model; they precede all messages' },
    messages: {
      dataFlowType: 'ARRAY',
      description: "The conversation in OpenAI's form: a list of {role, content}",
      config: { default: [] },
    },
    model: { dataFlowType: 'STRING', description: "The name of the model; without it, the operator's model" },
    temperature: {
      dataFlowType: 'FLOAT',
      description: 'The sampling temperature; 0 varies the words least, 2 most',
      min: 0,
      max: 2,
    },
    maxTokens: { dataFlowType: 'INTEGER', description: 'The longest answer, in tokens', min: 1 },
    responseFormat: {
      dataFlowType: 'STRING',
      description: 'text, or json: the answer is one JSON value, also given as the output json',
      matchCategories: ['ComboOption'],
      config: { default: 'text', suggestions: Object.keys(RESPONSE_FORMATS) },
    },
    schema: { dataFlowType: 'OBJECT', description: 'A JSON Schema that the answer must fit; implies json' },
    tools: {
      dataFlowType: 'ARRAY',
      description: "Tools that the model may ask for, in OpenAI's form; they are not run",
    },
    options: {
      dataFlowType: 'OBJECT',
      description: 'Further fields of the request as the endpoint takes them, such as top_p, seed, stop or tool_choice',
      config: { default: {} },
    },
    stream: {
      dataFlowType: 'BOOLEAN',
      description: 'Whether to stream the text while the model writes it',
      config: { default: false },
    },
    baseUrl: {
      dataFlowType: 'STRING',
      description: "Another endpoint than the operator's, such as https://host/v1; Errand sends it no key",
    },
    timeoutMs: {
      dataFlowType: 'INTEGER',
      description: 'The time limit for the whole answer, with retries, in milliseconds',
      config: { default: 120_000 },
      min: 1,
      max: 3_600_000,
    },
    maxRetries: {
      dataFlowType: 'INTEGER',
      description: 'The number of retries if the endpoint is busy or failing',
      config: { default: 2 },
      min: 0,
      max: 10,
    },
  },
  outputs: {
    text: { dataFlowType: 'STRING', isStream: true, description: 'The answer' },
    reasoning: {
      dataFlowType: 'STRING',
      isStream: true,
      description: 'The thoughts of the model; empty if the endpoint does not return them',
    },
    json: { dataFlowType: 'WILDCARD', description: 'The answer as a value, if JSON was requested' },
    toolCalls: {
      dataFlowType: 'ARRAY',
      description: "The tools that the model asks for, in OpenAI's form; empty if none",
    },
    finishReason: { dataFlowType: 'STRING', description: 'Why it ended: stop, length (cut off), tool_calls, …' },
    model: { dataFlowType: 'STRING', description: 'The model that answered' },
    usage: { dataFlowType: 'OBJECT', description: 'The number of tokens, as the endpoint counts them' },
  },
  bypassBehavior: { passThrough: { text: 'prompt' } },
  async *run(inputs, context): AsyncGenerator<JsonObject, JsonObject> {
    const endpoint = endpointFor(inputs.baseUrl, context);
    const request = completionRequest(inputs, endpoint.model);
    const signal = deadline(inputs.timeoutMs, context.signal);
    const response = await sendToLlm(endpoint, request, inputs.maxRetries, signal, context.log);
    const completion: Completion = {
      text: '',
      reasoning: '',
      toolCalls: [],
      finishReason: '',
      model: request.model,
      usage: {},
    };
    for await (const pieces of readCompletion(response, completion, signal))
      if (inputs.stream && Object.keys(pieces).length > 0) yield pieces;
    // A model that asks for a tool has not answered yet.
    const answered = completion.text !== '' || completion.toolCalls.length === 0;
    return { ...completion, ...(request.response_format && answered && { json: parseAnswer(completion) }) };
  },
});
