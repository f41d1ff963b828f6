import { answerOfResponse, inputKeyOf } from '@errand/agents';
import { isFinal } from '@errand/contracts';
import { openWaits, type OpenWait } from '@errand/protocol';
import { Queues, readAnswers, type StoredInvocation } from '@errand/queue';
import { Injectable } from '@nestjs/common';
import { CompleteStep } from '../control/complete-step.js';
import { ProblemError } from '../http/problem-error.js';
import type { RequestScope } from '../http/request-scope.js';

/** A question of an invocation that has no answer yet. */
export interface McpQuestion extends OpenWait {
  /** The number of its step. */
  index: number;
}

/** The responses of a client to questions, by key. Their shape is checked when they are used. */
export type McpResponses = Map<string, unknown>;

/** Reads the questions of invocations, and gives the answers of MCP clients to them. */
@Injectable()
export class McpAnswers {
  constructor(
    private readonly queues: Queues,
    private readonly completeStep: CompleteStep,
  ) {}

  /** The questions without an answer. An answer counts at once, also if no worker has seen it yet. */
  async questionsOf(invocation: StoredInvocation): Promise<McpQuestion[]> {
    if (isFinal(invocation.status)) return [];
    const asked = invocation.steps.flatMap((step) => openWaits(step).map((wait) => ({ ...wait, index: step.index })));
    if (asked.length === 0) return [];
    const answers = await readAnswers(this.queues, invocation.id);
    return asked.filter(({ field }) => !answers.has(field));
  }

  /**
   * Gives the responses to the questions that they are for, and removes these responses from the map. A response that does not fit leaves
   * its question open.
   * @returns whether a question got its answer
   */
  async give(
    scope: RequestScope,
    { id }: StoredInvocation,
    questions: readonly McpQuestion[],
    responses: McpResponses,
  ) {
    let isAnswered = false;
    for (const question of questions) {
      const key = inputKeyOf(question);
      const answer = answerOfResponse(responses.get(key), question);
      responses.delete(key);
      if (!answer) continue;
      const { index, nodeId } = question;
      const given = { scope, id, index, answer, ...(nodeId !== undefined && { nodeId }) };
      const taken = await this.completeStep.complete(given).catch(refusal);
      isAnswered ||= taken !== undefined;
    }
    return isAnswered;
  }
}

/** An answer that does not fit, or that comes too late, is no error: the next state shows what is still asked. */
function refusal(error: unknown): undefined {
  if (error instanceof ProblemError && ['invalid_parameters', 'conflict', 'not_found'].includes(error.code)) return;
  throw error;
}
