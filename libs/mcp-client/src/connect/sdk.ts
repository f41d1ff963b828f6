/** The SDK of MCP clients. It is loaded at the first use, because it takes time and memory that most processes do not need. */
export type {
  CallToolResult,
  Client,
  JSONRPCMessage,
  PriorDiscovery,
  Progress,
  Tool,
  Transport,
} from '@modelcontextprotocol/client' with { 'resolution-mode': 'import' };

export function loadSdk() {
  return import('@modelcontextprotocol/client');
}

export function loadCommands() {
  return import('@modelcontextprotocol/client/stdio');
}
