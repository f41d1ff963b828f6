import { DEFAULT_AGENT_LIMITS } from '@errand/contracts';
import { Registry } from '@errand/registry';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiConfiguration } from '../api-tokens.js';
import { problemsInReach } from '../tools/problems-in-reach.js';
import { Tagged } from './entity-tags.js';
import { Scope } from './guard-access.js';
import type { RequestScope } from './request-scope.js';
import { findAgent } from './require-agent.js';

/** The agents of the library. */
@Controller('v1/agents')
export class AgentsController {
  constructor(
    private readonly registry: Registry,
    private readonly settings: ApiConfiguration,
  ) {}

  /** All agents by id, also those whose program is elsewhere. */
  @Get()
  @Tagged()
  list() {
    const ids = this.registry.agentIds().toSorted();
    return { items: ids.map((id) => this.describe(id)), nextCursor: null };
  }

  /** One agent, with its limits and the problems of its file. */
  @Get(':id')
  @Tagged()
  one(@Param('id') id: string, @Scope() scope: RequestScope) {
    const { limits } = findAgent(this.registry, id);
    return {
      ...this.describe(id),
      limits: { ...DEFAULT_AGENT_LIMITS, ...limits },
      problems: problemsInReach(this.registry.problemsOfAgent(id), this.settings.ERRAND_LIBRARY, scope),
    };
  }

  private describe(id: string) {
    const { displayName = id, description, protocol = 'action' } = findAgent(this.registry, id);
    const tool = this.registry.toolOfAgent(id);
    return {
      id,
      displayName,
      description: description ?? tool?.description ?? '',
      runnable: tool !== undefined,
      protocol,
      tools: this.registry.list({ agent: id }).map(({ toolId }) => toolId),
      links: linksOfAgent(id, tool !== undefined),
    };
  }
}

/** The routes of an agent. An agent whose program is elsewhere offers only its tools. */
function linksOfAgent(id: string, isRunnable: boolean): Record<string, string> {
  const name = encodeURIComponent(id);
  const a2a = `/a2a/${name}`;
  return {
    self: `/v1/agents/${name}`,
    ...(isRunnable && { agui: `/agui/${name}`, a2a, card: `${a2a}/.well-known/agent-card.json` }),
    mcp: `/mcp/${name}`,
  };
}
