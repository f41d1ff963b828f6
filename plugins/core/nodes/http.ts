import { ToolError, type Json, type JsonObject } from '@errand/contracts';
import { asText } from './as-text.js';
import { deadline } from './deadline.js';
import { defineNode } from './define-node.js';
import { oneOf } from './one-of.js';
import { READERS } from './read-body.js';

const METHODS = Object.fromEntries(
  ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((name) => [name, name]),
);
/** Headers that describe the connection, not the request. */
const NOT_YOURS = new Set([
  'host',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export const http = defineNode({
  type: 'core:http',
  displayName: 'HTTP request',
  // No `effects`: whether a second request does harm depends on the request. Errand treats it as a node with effects.
  description:
    'Sends an HTTP request to a public address and returns status, headers and body of the response. A status of 400 and above is a result, not an error: check it. Private and local addresses are refused unless the operator allows them.',
  inputs: {
    url: { dataFlowType: 'STRING', required: true, description: 'The address, http or https' },
    method: {
      dataFlowType: 'STRING',
      description: 'The method',
      matchCategories: ['ComboOption'],
      config: { default: 'GET', suggestions: Object.keys(METHODS) },
    },
    headers: {
      dataFlowType: 'OBJECT',
      description: 'Request headers by name',
      config: { default: {} },
    },
    body: {
      dataFlowType: 'WILDCARD',
      description: 'The body: a text is sent unchanged, anything else as JSON (with its content-type)',
    },
    responseType: {
      dataFlowType: 'STRING',
      description:
        'How to read the body. auto: JSON to a value, text to text, the rest to base64; else always json, text or base64',
      matchCategories: ['ComboOption'],
      config: { default: 'auto', suggestions: Object.keys(READERS) },
    },
    timeoutMs: {
      dataFlowType: 'INTEGER',
      description: 'The time limit for the whole response, in milliseconds',
      config: { default: 30_000 },
      min: 1,
      max: 600_000,
    },
    followRedirects: {
      dataFlowType: 'BOOLEAN',
      description: 'Whether to follow redirects (at most 20; each address is checked)',
      config: { default: false },
    },
  },
  outputs: {
    status: { dataFlowType: 'INTEGER', description: 'The status, such as 200 or 404' },
    headers: { dataFlowType: 'OBJECT', description: 'The response headers, names in lower case' },
    body: { dataFlowType: 'WILDCARD', description: 'The body, read according to responseType; null without a body' },
  },
  // A bypassed node has no response, so its request must not become one.
  bypassBehavior: {},
  async run({ url, method, headers, body, responseType, timeoutMs, followRedirects }, context) {
    const read = oneOf(READERS, 'responseType', responseType);
    const request = {
      method: oneOf(METHODS, 'method', method.toUpperCase()),
      ...contentOf(headersOf(headers), body),
      redirect: followRedirects ? ('follow' as const) : ('manual' as const),
    };
    if (request.body !== undefined && /^(GET|HEAD)$/.test(request.method))
      throw new ToolError(
        'ParameterValidationError',
        `a ${request.method} request has no body; use POST, or a query in the url`,
      );
    const signal = deadline(timeoutMs, context.signal);
    const response = await context.fetch(url, { ...request, signal });
    return {
      status: response.status,
      headers: headersIn(response),
      body: read(Buffer.from(await response.arrayBuffer()), response.headers.get('content-type') ?? ''),
    };
  },
});

/** The headers by name. Several cookies are a list, because only they cannot be joined to one text. */
function headersIn({ headers }: Response): JsonObject {
  const cookies = headers.getSetCookie();
  return { ...Object.fromEntries(headers), ...(cookies.length > 1 && { 'set-cookie': cookies }) };
}

function headersOf(given: JsonObject): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    if (NOT_YOURS.has(name.toLowerCase()))
      throw new ToolError(
        'ParameterValidationError',
        `the header '${name}' cannot be set; it follows from the request`,
      );
    try {
      headers.append(name, asText(value));
    } catch {
      throw new ToolError(
        'ParameterValidationError',
        `the header '${name}' has a name or value that HTTP does not allow`,
      );
    }
  }
  return headers;
}

function contentOf(headers: Headers, body: Json | undefined): { headers: Headers; body?: string } {
  if (body === undefined) return { headers };
  if (typeof body !== 'string' && !headers.has('content-type')) headers.set('content-type', 'application/json');
  return { headers, body: asText(body) };
}
