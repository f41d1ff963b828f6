import type { AgentDefinition, JsonObject, SessionMessage } from '@errand/contracts';
import { choosePromptTools } from '@errand/protocol';
import { rankTools } from '@errand/registry';
import type { Turn } from './turn.js';

/** The part of the prompt that describes the tools: text for a text protocol, definitions for native calls. */
interface ToolsOfPrompt {
  toolsPrompt: string;
  tools: JsonObject[];
}

const SHARED = new WeakMap<AgentDefinition, ToolsOfPrompt>();

/**
 * Describes the tools of a turn. Above `limits.promptTools`, these are the tools that the session has used, and those that fit the newest
 * message best.
 */
export function promptOf(turn: Turn, message: string, history: readonly SessionMessage[]): ToolsOfPrompt {
  const { agent, limits, args } = turn;
  // The prompt of an agent whose tools all fit is the same in every round of every turn.
  const isShared = !args.tools?.length && agent.tools.length <= limits.promptTools;
  const shared = (isShared && SHARED.get(agent)) || makePrompt(turn, message, history);
  if (isShared) SHARED.set(agent, shared);
  return shared;
}

function makePrompt(turn: Turn, message: string, history: readonly SessionMessage[]): ToolsOfPrompt {
  const { agent, limits, args } = turn;
  const tools = agent.tools.map(({ tool }) => tool);
  const { toolsPrompt, tools: definitions } = choosePromptTools({
    tools,
    clientTools: args.tools ?? [],
    protocol: agent.protocol,
    promptTools: limits.promptTools,
    used: usedTools(turn, history),
    rank: () => rankTools(agent.tools, message),
  });
  return { toolsPrompt, tools: definitions as JsonObject[] };
}

/** The ids of the called tools, newest last. */
function usedTools({ rounds }: Turn, history: readonly SessionMessage[]): string[] {
  const earlier = history.flatMap(({ calledTools = [] }) => calledTools);
  return [...earlier, ...rounds.flatMap(({ calls }) => calls.map(({ toolId }) => toolId))];
}
