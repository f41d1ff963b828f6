import type { Json, JsonObject } from './json.js';
import type { JsonSchema, ToolInterface } from './tool.js';
import type { Status } from './status.js';
import type { Failure } from './tool-error.js';

/** The protocols that the prompt of an agent may teach. `native` means the tool calls of model APIs. */
export const AGENT_PROTOCOLS = ['action', 'tam', 'native'] as const;
export type AgentProtocol = (typeof AGENT_PROTOCOLS)[number];

/** The limits of a turn. A turn that would exceed one fails with ResourceLimitError. */
export interface AgentLimits {
  /** The number of rounds. */
  maxRounds: number;
  /** The number of calls in all rounds. */
  maxToolCalls: number;
  /** The number of refused rounds in a row that may be repaired. */
  maxRepairs: number;
  /** The number of tokens in all rounds, as the model API counts them. Absent: no limit. */
  maxTokens?: number;
  /** The longest result in an Observation, in characters. */
  maxResultChars: number;
  /** The longest history that the model gets, in characters. */
  historyChars: number;
  /** The most tools that the prompt describes. */
  promptTools: number;
  /** The depth of agents that call agents, and of events that begin turns. */
  maxDepth: number;
}

export const DEFAULT_AGENT_LIMITS: AgentLimits = {
  maxRounds: 12,
  maxToolCalls: 50,
  maxRepairs: 3,
  maxResultChars: 8_000,
  historyChars: 60_000,
  promptTools: 40,
  maxDepth: 5,
};

/** A tool of an agent's inventory with the digest of its definition. */
export interface InventoryTool {
  tool: ToolInterface;
  /** Absent for an agent: a turn of it begins with its definition at that time, like any turn. */
  digest?: string;
}

/** The part of a definition from which a turn runs: the profile, its workflow and its tools at the time of acceptance. */
export interface AgentDefinition {
  agentId: string;
  displayName?: string;
  instructions: string;
  protocol: AgentProtocol;
  limits: AgentLimits;
  /** The deliberation workflow, one of `workflows` of the definition. */
  workflowId: string;
  /** The schema of the answer. Absent: the answer is text. */
  output?: JsonSchema;
  /** The initial states of a session. */
  privateState?: JsonObject;
  worldState?: JsonObject;
  /** Patterns of the tools whose calls do not hold a turn. */
  backgroundTools: string[];
  tools: InventoryTool[];
}

/** A tool that the caller of a turn runs itself. The model sees it under exactly this name. */
export interface ClientTool {
  name: string;
  description?: string;
  parameters?: JsonSchema;
  output?: JsonSchema;
}

/** `refused`: the answer of the model had errors, and nothing of it ran. */
export type RoundStatus = Status | 'refused';

/** A call of a round. `callId` is unique in the session and the same after a crash. */
export interface RoundCall {
  callId: string;
  toolId: string;
  /** The name that the model wrote, if it is another one. */
  name?: string;
  arguments: JsonObject;
  status: Status;
  result?: Json;
  error?: Failure;
  /** A tool that the caller of the turn runs. */
  client?: boolean;
  /** The call does not hold the turn: `result` names the invocation that runs it. */
  background?: boolean;
}

/** One deliberation of a turn and the run of its calls. Times are ISO 8601. */
export interface Round {
  index: number;
  status: RoundStatus;
  /** The whole text of the model. */
  text: string;
  reasoning?: string;
  calls: RoundCall[];
  /** The calls came as tool calls of a model API: they run in parallel, and each has its own answer. */
  native?: boolean;
  /** The child invocation that runs the calls. */
  invocationId?: string;
  observation?: string;
  warnings?: string[];
  /** The numbers that the model API reports. */
  usage?: Record<string, number>;
  startedAt: string;
  finishedAt: string | null;
}

/** A call of a message, in OpenAI's form. `arguments` is JSON text. */
export interface MessageToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

export const MESSAGE_ROLES = ['user', 'system', 'assistant', 'observation', 'tool', 'event'] as const;
export type MessageRole = (typeof MESSAGE_ROLES)[number];

/** A message of the conversation of a session and an agent. Its id follows from its turn and round. */
export interface SessionMessage {
  id: string;
  role: MessageRole;
  content: string;
  toolCalls?: MessageToolCall[];
  toolCallId?: string;
  name?: string;
  /** The ids of the tools that the message calls. */
  calledTools?: string[];
  /** The turn that wrote it. */
  invocationId: string;
  round: number | null;
  /** ISO 8601. */
  at: string;
}

/** The events that only turns of agents have. */
export type TurnEvent =
  | { event: 'round'; round: number; status: RoundStatus }
  /** Text for people: never a character of a block or of a thought. */
  | { event: 'text'; round: number; messageId: string; delta: string }
  | { event: 'reasoning'; round: number; messageId: string; delta: string }
  | {
      event: 'call';
      round: number;
      callId: string;
      toolId: string;
      arguments: JsonObject;
      invocationId: string;
      client: boolean;
    }
  | { event: 'called'; round: number; callId: string; status: Status; result?: Json; error?: Failure }
  /** A change of a state, as a JSON Patch (RFC 6902). */
  | { event: 'state'; scope: 'world' | 'private'; patch: JsonObject[] }
  /** The text of this message was broken off. */
  | { event: 'discard'; messageId: string };

/** The usage of all rounds, summed by key. */
export function sumUsage(rounds: readonly Pick<Round, 'usage'>[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const { usage = {} } of rounds)
    for (const [key, value] of Object.entries(usage)) sums.set(key, (sums.get(key) ?? 0) + value);
  return Object.fromEntries(sums);
}
