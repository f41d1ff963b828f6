import type { JsonObject } from './json.js';

/** One tool id with arguments, before Errand accepts it. Until it is resolved, `toolId` may be an alias or have a version range. */
export interface Call {
  toolId: string;
  arguments: JsonObject;
}

/** A call that the registry has resolved: the exact tool, by version and digest. */
export interface ResolvedCall extends Call {
  version: string;
  digest: string;
}

/** The APIs of models whose messages Errand reads and writes: OpenAI's chat completions and Responses, and Anthropic's messages. */
export const MESSAGE_FORMS = ['openai', 'responses', 'anthropic'] as const;
export type MessageForm = (typeof MESSAGE_FORMS)[number];

/** What a model reads about one of its calls. */
export interface CallAnswer {
  callId: string;
  /** The result as text, or the Observation of an error. */
  content: string;
  /** Whether the call failed or did not run. */
  isError: boolean;
  /** Set for a call of a custom tool of the Responses API, which needs an output of its own type. */
  isCustom?: boolean;
}
