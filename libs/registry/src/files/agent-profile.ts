import type { AgentLimits, AgentProtocol, JsonObject } from '@errand/contracts';

/** The profile of an agent: the tools that it may use, and how it thinks. */
export interface AgentProfile {
  id: string;
  displayName?: string;
  description?: string;
  version?: string;
  /** Text for the model. */
  instructions?: string;
  /** Tool ids; `*` matches any characters. */
  tool_ids_inventory: string[];
  /** Absent: the program of the agent is elsewhere, and the agent is not a tool. */
  core_deliberation_workflow_id?: string;
  protocol?: AgentProtocol;
  /** The schema of the answer. Absent: the answer is text. */
  output?: JsonObject;
  /** The initial states. */
  privateState?: JsonObject;
  worldState?: JsonObject;
  /** The events that begin a turn. `*` matches any characters. */
  triggers?: { event: string }[];
  backgroundTools?: string[];
  limits?: Partial<AgentLimits>;
}
