import type { McpSdk } from './mcp-exchange.js';

/** The parts of the SDK that serve requests. */
export interface LoadedSdk {
  sdk: McpSdk;
  toWebRequest: typeof import('@modelcontextprotocol/node').toWebRequest;
}

/** Loads the SDK. It takes 0.3 s and much memory, so that it happens with the first request. */
export async function loadMcpSdk(): Promise<LoadedSdk> {
  const [sdk, { toWebRequest }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('@modelcontextprotocol/node'),
  ]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript has the types of the ES module, the build requires the CommonJS one
  return { sdk: sdk as unknown as McpSdk, toWebRequest };
}
