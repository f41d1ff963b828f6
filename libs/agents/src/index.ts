export { readMessage, type MessageCall, type MessageFault, type ReadMessage } from './translate/read-message.js';
export { MESSAGE_SHAPES } from './translate/message-shapes.js';
export { toToolMessages } from './translate/tool-messages.js';
export { toMcpTool, mcpOutputSchema, type McpTool } from './translate/mcp-tool.js';
export { INVOCATION_META, mcpErrorResult, toMcpResult, type McpCallResult } from './translate/mcp-result.js';
export { toDetailedTask, toMcpTask, type McpDetailedTask, type McpTask } from './translate/mcp-task.js';
export {
  answerOfResponse,
  inputKeyOf,
  toInputRequests,
  type AskedWait,
  type McpInputRequests,
} from './translate/mcp-input.js';
