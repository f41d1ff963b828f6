import { toAgentCard, toLegacyCard, type CardAgent } from '@errand/agents';
import { didYouMean, type JsonObject } from '@errand/contracts';
import { calledHost } from '@errand/platform';
import { Registry } from '@errand/registry';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiConfiguration } from '../api-tokens.js';
import { ProblemError } from '../http/problem-error.js';
import type { A2aVersion } from './a2a-caller.js';

/** The cards of the agents that run here, made from their profiles. */
@Injectable()
export class AgentCards {
  constructor(
    private readonly registry: Registry,
    private readonly settings: ApiConfiguration,
  ) {}

  /** @throws ProblemError not_found for an agent that does not exist, or that has no deliberation workflow */
  requireRunnable(agent: string): void {
    if (this.registry.toolOfAgent(agent)) return;
    if (this.registry.hasAgent(agent))
      throw new ProblemError(
        'not_found',
        `The agent ${agent} has no core_deliberation_workflow_id and cannot run here`,
      );
    const suggestion = didYouMean(agent, this.runnableIds());
    const hint = suggestion === undefined ? '' : `, did you mean '${suggestion}'?`;
    throw new ProblemError('not_found', `There is no agent '${agent.slice(0, 80)}'${hint}`);
  }

  card(agent: string, base: string, version: A2aVersion): JsonObject {
    const place = { url: `${base}/a2a/${encodeURIComponent(agent)}`, hasKeys: this.hasKeys() };
    const described = this.describe(agent);
    return version === '1.0' ? toAgentCard(described, place) : toLegacyCard(described, place);
  }

  /** The agent of the card without a name in its path. @throws ProblemError not_found */
  defaultAgent(): string {
    const runnable = this.runnableIds();
    const named = this.settings.ERRAND_DEFAULT_AGENT;
    if (named !== undefined) return named;
    const [only] = runnable;
    if (runnable.length === 1 && only !== undefined) return only;
    const known = runnable.length === 0 ? 'no agent runs here' : `${runnable.length} agents run here`;
    throw new ProblemError('not_found', `There is no default agent: ${known}; set ERRAND_DEFAULT_AGENT`);
  }

  /** The address under which clients reach this server: that of the operator, else the one that the request called. */
  baseOf({ raw }: FastifyRequest): string {
    const base = this.settings.ERRAND_PUBLIC_URL ?? calledHost(raw).origin;
    if (base !== undefined) return base.replace(/\/$/, '');
    throw new ProblemError('invalid_request', 'The request must name one host, such as localhost:3000');
  }

  private describe(id: string): CardAgent {
    const profile = this.registry.agent(id);
    const tool = this.registry.toolOfAgent(id);
    return {
      id,
      displayName: profile?.displayName,
      description: tool?.description,
      version: tool?.version,
      output: tool?.output,
      tools: this.registry.list({ agent: id }),
    };
  }

  private runnableIds(): string[] {
    return this.registry.agentIds().filter((agent) => this.registry.toolOfAgent(agent));
  }

  private hasKeys(): boolean {
    return (this.settings.ERRAND_API_KEYS ?? []).length > 0;
  }
}
