import { canonicalJson, didYouMean, isFinal, type Answer, type Problem, type Step, type Tool } from '@errand/contracts';
import { openWaits, type OpenWait } from '@errand/protocol';
import { Definitions, giveAnswer, Queues, readAnswers, type StoredInvocation } from '@errand/queue';
import { Registry } from '@errand/registry';
import { Injectable } from '@nestjs/common';
import { findInvocation } from '../http/find-invocation.js';
import { ProblemError } from '../http/problem-error.js';

/** What somebody outside hands in. */
export interface StepAnswer {
  tenant: string;
  /** Of the invocation. */
  id: string;
  /** The number of the step. */
  index: number;
  /** Which of its nodes, where several wait. */
  nodeId?: string;
  answer: Answer;
}

/** What an answer is for. */
type AnswerTarget = Omit<OpenWait, 'waiting'>;

/**
 * Takes the answer to a step or node that waits for somebody outside, or to a step that will. The same answer may come as often as it
 * likes.
 */
@Injectable()
export class CompleteStep {
  constructor(
    private readonly registry: Registry,
    private readonly queues: Queues,
    private readonly definitions: Definitions,
  ) {}

  /** @throws ProblemError that says what waits, or why nothing does */
  async take(given: StepAnswer): Promise<StoredInvocation> {
    const invocation = await findInvocation(this.queues, given.tenant, given.id);
    const step = invocation.steps[given.index] ?? noStep(invocation, given.index);
    const waits = chooseWait(openWaits(step), given);
    if (!waits && (await this.wasGivenBefore(given))) return invocation;
    const target = waits ?? futureWait(invocation, step, given);
    if (!target) throw new ProblemError('conflict', notWaiting(invocation, step, given.nodeId));
    const tool = await this.toolOf(invocation, target, given.index);
    requireFirst(invocation, step, tool);
    if (tool?.kind === 'external') this.requireValidResult(tool, given.answer);
    await this.store(target, given);
    return findInvocation(this.queues, given.tenant, given.id);
  }

  private async store({ field, nodeId }: AnswerTarget, { tenant, id, answer }: StepAnswer): Promise<void> {
    const given = await giveAnswer(
      this.queues,
      { tenant, id, field },
      { answer, ...(nodeId !== undefined && { nodeId }) },
    );
    if (given === 'other') throw new ProblemError('conflict', 'It has been answered already, and otherwise');
    if (given === 'ended') throw new ProblemError('conflict', 'The invocation has ended; nobody waits for the answer');
  }

  /** Whether this very answer was taken before. @throws ProblemError where another one was */
  private async wasGivenBefore({ id, index, nodeId, answer }: StepAnswer): Promise<boolean> {
    const all = [...(await readAnswers(this.queues, id))];
    const earlier = all.filter(
      ([field, given]) =>
        (field === `${index}` || field.startsWith(`${index}/`)) && (nodeId === undefined || isOf(nodeId, given.nodeId)),
    );
    if (earlier.some(([, given]) => canonicalJson(given.answer) === canonicalJson(answer))) return true;
    if (earlier.length === 0) return false;
    throw new ProblemError('conflict', 'It has been answered already, and otherwise');
  }

  /** Of a step, its tool as it was accepted; of a node, what it calls. */
  private async toolOf(
    { record }: StoredInvocation,
    { nodeId, asker }: AnswerTarget,
    index: number,
  ): Promise<Tool | undefined> {
    if (nodeId !== undefined) return this.registry.find(asker);
    return (await this.definitions.get(record.calls[index]!.digest)).tool;
  }

  /** A result of an external tool is what the tool declares. */
  private requireValidResult(tool: Tool, answer: Answer): void {
    if (!('result' in answer)) return;
    const problems = this.registry.validateOutput(tool, answer.result);
    if (problems.length === 0) return;
    const errors: Problem[] = problems.map((problem) => ({ ...problem, path: `/result${problem.path}` }));
    const said = errors.map(({ message }) => message).join('; ');
    throw new ProblemError('invalid_parameters', `The result is not what ${tool.toolId} declares: ${said}`, { errors });
  }
}

/** A call that takes effect once in its session has the answer of the first such call, and none of its own. */
function requireFirst({ record }: StoredInvocation, { index, waiting }: Step, tool: Tool | undefined): void {
  if (tool?.effects !== 'once' || record.session === undefined || waiting?.for !== 'invocation') return;
  const first = waiting.invocationId;
  throw new ProblemError('conflict', `Step ${index} (${tool.toolId}) asks for nothing before ${first} has ended`);
}

/** The one that is meant. @throws ProblemError where it might be several */
function chooseWait(waits: readonly OpenWait[], { nodeId }: StepAnswer): OpenWait | undefined {
  const meant = nodeId === undefined ? waits : waits.filter((wait) => isOf(nodeId, wait.nodeId));
  if (meant.length <= 1) return meant[0];
  const names = meant.map((wait) => wait.nodeId).join(', ');
  throw new ProblemError('invalid_request', `Several nodes wait for an answer: say which by nodeId (${names})`, {
    errors: [{ path: '/nodeId', message: `must be one of ${names}` }],
  });
}

function futureWait(invocation: StoredInvocation, step: Step, { nodeId }: StepAnswer): AnswerTarget | undefined {
  return nodeId === undefined && willWait(invocation, step)
    ? { field: `${step.index}`, asker: step.toolId }
    : undefined;
}

/** Who has submitted a call of an external tool knows the number of its step, and may have the answer before the step has come so far. */
function willWait({ record }: StoredInvocation, { index, status }: Step): boolean {
  return record.calls[index]!.kind === 'external' && !isFinal(status);
}

/** A tool that a node calls waits under the name of that call, which begins with the node's. */
function isOf(wanted: string, nodeId: string | undefined): boolean {
  return nodeId === wanted || (nodeId?.startsWith(`${wanted}:`) ?? false);
}

function notWaiting(invocation: StoredInvocation, step: Step, nodeId: string | undefined): string {
  const name = `Step ${step.index} (${step.toolId})`;
  if (willWait(invocation, step)) return `${name} itself is to be answered, and no node of it: leave nodeId out`;
  const waiting = openWaits(step).flatMap((wait) => wait.nodeId ?? []);
  if (nodeId === undefined || waiting.length === 0) return `${name} waits for no answer: it is ${step.status}`;
  const suggestion = didYouMean(nodeId, waiting);
  const hint = suggestion ? `, did you mean '${suggestion}'?` : `: ${waiting.join(', ')} does`;
  return `No node '${nodeId}' of step ${step.index} waits for an answer${hint}`;
}

function noStep({ steps }: StoredInvocation, index: number): never {
  const range = steps.length === 1 ? 'it has one, 0' : `its steps are 0 to ${steps.length - 1}`;
  throw new ProblemError('not_found', `The invocation has no step ${index}: ${range}`);
}
