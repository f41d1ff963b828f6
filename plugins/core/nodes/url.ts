import { ToolError, type Json, type JsonObject } from '@errand/contracts';
import { asText } from './as-text.js';
import { defineComputation } from './define-node.js';

export const parseUrl = defineComputation({
  type: 'core:url-parse',
  displayName: 'Parse URL',
  description: 'Splits a URL into its decoded parts: scheme, host, port, path, query parameters and fragment.',
  inputs: { url: { dataFlowType: 'STRING', required: true, description: 'The URL, with its scheme' } },
  outputs: {
    parts: {
      dataFlowType: 'OBJECT',
      description: 'protocol, host, port (a number or null), path, query (a list for a repeated name), fragment',
    },
  },
  compute: ({ url }) => ({ parts: partsOf(read(url)) }),
});

export const buildUrl = defineComputation({
  type: 'core:url-build',
  displayName: 'Build URL',
  description: 'Adds path segments and query parameters to a base URL and encodes them.',
  inputs: {
    base: {
      dataFlowType: 'STRING',
      required: true,
      description: 'The URL to begin with, such as https://api.example.com/v1',
    },
    path: {
      dataFlowType: 'ARRAY',
      description: "Path segments to append; a / in one is encoded: ['users', 'a/b'] gives /users/a%2Fb",
      config: { default: [] },
    },
    query: {
      dataFlowType: 'OBJECT',
      description: 'Query parameters to set; a list repeats the parameter, null leaves it out',
      config: { default: {} },
    },
    fragment: { dataFlowType: 'STRING', description: 'The part after the #' },
  },
  outputs: { url: { dataFlowType: 'STRING', description: 'The URL' } },
  compute({ base, path, query, fragment }) {
    const url = read(base);
    const segments = path.map((segment) => segmentOf(asText(segment)));
    if (segments.length > 0) url.pathname = [url.pathname.replace(/\/$/, ''), ...segments].join('/');
    if (Object.keys(query).length > 0) url.search = searchOf(url.searchParams, query).toString();
    if (fragment !== undefined) url.hash = fragment;
    return { url: url.href };
  },
});

function read(text: string): URL {
  if (URL.canParse(text)) return new URL(text);
  throw new ToolError(
    'ParameterValidationError',
    `'${text.slice(0, 100)}' is not an absolute URL such as https://example.com/path`,
  );
}

/** `.` and `..` navigate in the path and cannot be encoded, so they cannot be segments. */
function segmentOf(segment: string): string {
  if (segment !== '' && segment !== '.' && segment !== '..') return encodeURIComponent(segment);
  throw new ToolError('ParameterValidationError', `'${segment}' cannot be a path segment`);
}

/** The existing parameters that `query` does not set, then those of `query`. */
function searchOf(given: URLSearchParams, query: JsonObject): URLSearchParams {
  const kept = [...given].filter(([name]) => !Object.hasOwn(query, name));
  const set = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((item) => item !== null)
      .map((item): [string, string] => [name, asText(item)]),
  );
  return new URLSearchParams([...kept, ...set]);
}

function partsOf(url: URL): JsonObject {
  const query = new Map<string, string[]>();
  for (const [name, value] of url.searchParams) {
    const values = query.get(name);
    if (values) values.push(value);
    else query.set(name, [value]);
  }
  const parameters = [...query].map(([name, values]): [string, Json] => {
    const [first = '', ...others] = values;
    return [name, others.length === 0 ? first : values];
  });
  return {
    protocol: url.protocol.slice(0, -1),
    host: url.hostname,
    port: url.port === '' ? null : Number(url.port),
    path: decode(url.pathname),
    query: Object.fromEntries(parameters),
    fragment: decode(url.hash.slice(1)),
  };
}

/** Returns an invalid encoding unchanged. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
