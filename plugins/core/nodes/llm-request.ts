import { isObject, ToolError, type Json, type JsonObject } from '@errand/contracts';
import { oneOf } from './one-of.js';

/** The inputs of the node. */
interface LlmInputs {
  prompt: string | undefined;
  system: string | undefined;
  messages: Json[];
  model: string | undefined;
  temperature: number | undefined;
  maxTokens: number | undefined;
  responseFormat: string;
  schema: JsonObject | undefined;
  tools: Json[] | undefined;
  options: JsonObject;
  stream: boolean;
}

/** A request of OpenAI's chat completions API. */
export interface CompletionRequest {
  model: string;
  messages: Json[];
  stream: boolean;
  response_format?: JsonObject;
  [setting: string]: Json | undefined;
}

export const RESPONSE_FORMATS: Record<string, JsonObject | undefined> = {
  text: undefined,
  json: { type: 'json_object' },
};

/** @throws ParameterValidationError without a question or without a model */
export function completionRequest(inputs: LlmInputs, defaultModel: string | undefined): CompletionRequest {
  const model = inputs.model ?? defaultModel;
  if (model === undefined)
    throw new ToolError(
      'ParameterValidationError',
      "'model' is missing, and the operator has set none (ERRAND_LLM_MODEL)",
    );
  const format = inputs.schema
    ? schemaFormat(inputs.schema)
    : oneOf(RESPONSE_FORMATS, 'responseFormat', inputs.responseFormat);
  return {
    ...inputs.options,
    model,
    messages: messagesOf(inputs),
    stream: inputs.stream,
    ...(inputs.stream && { stream_options: { include_usage: true } }),
    ...(inputs.temperature !== undefined && { temperature: inputs.temperature }),
    ...(inputs.maxTokens !== undefined && { max_tokens: inputs.maxTokens }),
    ...(inputs.tools?.length && { tools: inputs.tools }),
    ...(format && { response_format: format }),
  };
}

function messagesOf({ prompt, system, messages }: LlmInputs): Json[] {
  const wrong = messages.findIndex((message) => !isObject(message) || typeof message.role !== 'string');
  if (wrong >= 0)
    throw new ToolError('ParameterValidationError', `'messages' must be a list of {role, content}; look at ${wrong}`);
  if (prompt === undefined && messages.length === 0)
    throw new ToolError('ParameterValidationError', "there is nothing to ask: give 'prompt' or 'messages'");
  return [
    ...(system === undefined ? [] : [{ role: 'system', content: system }]),
    ...messages,
    ...(prompt === undefined ? [] : [{ role: 'user', content: prompt }]),
  ];
}

function schemaFormat(schema: JsonObject): JsonObject {
  return { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } };
}
