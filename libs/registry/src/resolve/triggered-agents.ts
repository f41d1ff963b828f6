import { isObject } from '@errand/contracts';
import type { DefinedTool } from './defined-tool.js';
import { matchesGlob } from './matches-glob.js';
import type { Registry } from './registry.js';

/** An agent whose profile reacts to an event, and the definition of its tool. */
export interface TriggeredAgent {
  agent: string;
  define: () => Promise<DefinedTool>;
}

/** The agents whose `triggers` match an event. An agent without a tool of its own runs elsewhere and is left out. */
export function triggeredAgents(registry: Registry, event: string): TriggeredAgent[] {
  return registry.agentIds().flatMap((agent) => {
    const triggers = registry.agent(agent)?.triggers ?? [];
    if (!triggers.some((trigger) => isMatch(trigger, event))) return [];
    const tool = registry.find(`agent:${agent}`);
    return tool ? [{ agent, define: () => registry.define(tool) }] : [];
  });
}

function isMatch(trigger: unknown, event: string): boolean {
  return isObject(trigger) && typeof trigger['event'] === 'string' && matchesGlob(event, trigger['event']);
}
