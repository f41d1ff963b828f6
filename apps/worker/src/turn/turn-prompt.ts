import type { JsonObject } from '@errand/contracts';
import { renderPrompt, toToolDefinitions } from '@errand/protocol';
import type { Turn } from './turn.js';

/** The part of the prompt that describes the tools: text for a text protocol, definitions for native calls. */
export function promptOf({ agent, tools }: Turn): { toolsPrompt: string; tools: JsonObject[] } {
  const { inventory, clients } = tools.all();
  const all = [...clients, ...inventory];
  if (agent.protocol === 'native') return { toolsPrompt: '', tools: toToolDefinitions(all, 'openai') as JsonObject[] };
  return { toolsPrompt: renderPrompt({ tools: all, format: agent.protocol }), tools: [] };
}
