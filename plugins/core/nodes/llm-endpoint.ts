import { ToolError, type NodeContext } from '@errand/contracts';

/** The address and the key for a request. */
export interface LlmEndpoint {
  url: string;
  fetch: typeof globalThis.fetch;
  headers: Record<string, string>;
  /** The secret to hide in logs and errors. */
  secret: string | undefined;
  /** The model for nodes that name none. */
  model: string | undefined;
}

/**
 * The operator's endpoint with the operator's key, or the endpoint that a workflow names, without a key. The latter uses the guarded
 * fetch, like any address in data.
 * @throws ServiceError if the operator has set no endpoint, ParameterValidationError for an invalid address
 */
export function endpointFor(
  named: string | undefined,
  { fetch }: Pick<NodeContext, 'fetch'>,
  env: NodeJS.ProcessEnv = process.env,
): LlmEndpoint {
  const model = env.ERRAND_LLM_MODEL || undefined;
  if (named !== undefined) return { url: completionsOf(named), fetch, headers: {}, secret: undefined, model };
  if (!env.ERRAND_LLM_BASE_URL)
    throw new ToolError(
      'NodeError',
      'no language model is configured: set ERRAND_LLM_BASE_URL (and ERRAND_LLM_API_KEY) for the worker, or the input baseUrl',
    );
  const secret = env.ERRAND_LLM_API_KEY || undefined;
  return {
    url: completionsOf(env.ERRAND_LLM_BASE_URL),
    fetch: globalThis.fetch,
    headers: secret === undefined ? {} : { authorization: `Bearer ${secret}` },
    secret,
    model,
  };
}

function completionsOf(base: string): string {
  if (!URL.canParse(base))
    throw new ToolError(
      'ParameterValidationError',
      `'baseUrl' must be an address such as https://host/v1, got '${base}'`,
    );
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`;
  return url.href;
}
