export { mergePatch } from './state/merge-patch.js';
export { valueAtPath, withValueAt } from './state/state-path.js';
export { readMessage, type MessageCall, type MessageFault, type ReadMessage } from './translate/read-message.js';
export { checkMessage, type CheckedMessage, type MessageProblem } from './translate/refuse-calls.js';
export { MESSAGE_SHAPES } from './translate/message-shapes.js';
export { toToolMessages } from './translate/tool-messages.js';
export type { A2aMessage, A2aTask, A2aUpdate } from './translate/a2a/a2a-shapes.js';
export { MESSAGE_ID, turnOf, type Turn, type TurnFile } from './translate/a2a/turn-of.js';
export { statusesOf } from './translate/a2a/to-a2a-status.js';
export { toA2aTask, type TaskOptions } from './translate/a2a/to-a2a-task.js';
export { TaskUpdates, type TaskEvent } from './translate/a2a/task-updates.js';
export { readAnswer, readMessageText, type GivenPart, type PartFault } from './translate/a2a/read-a2a-message.js';
export { toAgentCard, toLegacyCard, type CardAgent, type CardPlace } from './translate/a2a/to-agent-card.js';
export { toPushBody, type ReportedStatus } from './translate/a2a/to-push-body.js';
export { AGUI_BOUNDS, clientToolsOf, newMessages, readIntent, stateOf } from './translate/agui-input.js';
export type {
  AguiInput,
  AguiInputMessage,
  AguiIntent,
  AguiNewMessage,
  AguiResume,
  AguiToolAnswer,
} from './translate/agui-input.js';
export { spellRunInput } from './translate/agui-spellings.js';
export { AguiRun, contentOf, type AguiTurn } from './translate/agui-run.js';
export {
  runEnded,
  runError,
  runPaused,
  runStarted,
  usageOf,
  type AguiRunIds,
  type AguiWait,
} from './translate/agui-end.js';
export type { AguiEvent, AguiInterrupt, AguiMessage, AguiOutcome, AguiUsage } from './translate/agui-events.js';
export { nextAction, tokensOf, type NextAction, type TurnState } from './loop/next-action.js';
export { readDeliberation, textOutputOf, type Deliberated } from './loop/read-deliberation.js';
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
