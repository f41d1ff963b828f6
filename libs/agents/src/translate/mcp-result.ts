import { isObject, type Invocation, type Json } from '@errand/contracts';

/** One block of the content of a result: text, an image, a resource. */
export type McpContentBlock = { type: string; [field: string]: Json };

// Type aliases of object literals, not interfaces, so that they are JSON objects for TypeScript.
export type McpCallResult = {
  content: McpContentBlock[];
  structuredContent?: Json;
  isError?: boolean;
  _meta?: { [key: string]: Json };
};

/** The key of the invocation's id in `_meta` of each result. */
export const INVOCATION_META = 'errand/invocationId';

/** The parts of an ended invocation that a result shows. */
export type McpEnded = Pick<Invocation, 'id' | 'status' | 'result' | 'observation' | 'error'>;

/** What the translation needs to know beside the invocation. */
export interface McpResultTerms {
  /** Whether a value is a block of content that every client accepts. */
  isContentBlock: (value: unknown) => boolean;
  /** `tools/list` shows an output schema of the tool, so that clients require `structuredContent`. */
  hasOutputSchema: boolean;
}

/**
 * The result of `tools/call` for an ended invocation. A text is a text block. A value with a `content` of valid blocks passes as it is.
 * Any other value is JSON text and `structuredContent`. A failed tool is `isError` with the Observation.
 */
export function toMcpResult(ended: McpEnded, terms: McpResultTerms): McpCallResult {
  const { id, status, result, observation, error } = ended;
  const meta = { [INVOCATION_META]: id };
  if (status !== 'succeeded')
    return { ...mcpErrorResult(observation ?? error?.message ?? `It is ${status}`), _meta: meta };
  if (typeof result === 'string') return { content: [textBlock(result)], _meta: meta };
  const own = contentOf(result, terms);
  if (!own) return { content: [textBlock(JSON.stringify(result))], structuredContent: result, _meta: meta };
  const { _meta: written, ...others } = own;
  return { ...others, _meta: { ...written, ...meta } };
}

/** A result that reports an error to the model. */
export function mcpErrorResult(text: string): McpCallResult {
  return { content: [textBlock(text)], isError: true };
}

function textBlock(text: string): McpContentBlock {
  return { type: 'text', text };
}

/** The result that a tool has written itself: `content` with valid blocks, and the other fields of a result where they are valid. */
function contentOf(value: Json, { isContentBlock, hasOutputSchema }: McpResultTerms): McpCallResult | undefined {
  if (!isObject(value)) return undefined;
  const { content, structuredContent, isError, _meta } = value;
  if (!Array.isArray(content) || content.length === 0 || !content.every(isContentBlock)) return undefined;
  const structured = structuredContent ?? (hasOutputSchema ? value : undefined);
  return {
    content: content.filter(isBlock),
    ...(structured !== undefined && { structuredContent: structured }),
    ...(typeof isError === 'boolean' && { isError }),
    ...(isObject(_meta) && { _meta }),
  };
}

function isBlock(value: Json): value is McpContentBlock {
  return isObject(value) && typeof value['type'] === 'string';
}
