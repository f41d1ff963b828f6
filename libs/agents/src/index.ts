export { mergePatch } from './state/merge-patch.js';
export { valueAtPath, withValueAt } from './state/state-path.js';
export { readMessage, type MessageCall, type MessageFault, type ReadMessage } from './translate/read-message.js';
export { checkMessage, type CheckedMessage, type MessageProblem } from './translate/refuse-calls.js';
export { MESSAGE_SHAPES } from './translate/message-shapes.js';
export { toToolMessages } from './translate/tool-messages.js';
export { nextAction, sumUsage, tokensOf, type NextAction, type TurnState } from './loop/next-action.js';
export { readDeliberation, textOutputOf, foldSlotName, type Deliberated } from './loop/read-deliberation.js';
export { readRound, type ReadCall, type ReadRound, type Refusal } from './loop/read-round.js';
export { writeHistory, type History, type StoredConversation } from './loop/write-history.js';
export { deliberationInputs, type ContextEntry, type RoundContext } from './loop/deliberation-inputs.js';
export { assistantId, roundMessages } from './loop/round-messages.js';
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
