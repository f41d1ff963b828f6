import {
  isObject,
  ToolError,
  type Answer,
  type Json,
  type JsonSchema,
  type Problem,
  type Tool,
  type Waiting,
} from '@errand/contracts';
import { Suspended, type CallOrigin } from '@errand/engine';
import { RemoteError, type InputRequest, type InputResponses } from '@errand/mcp-client';
import { readAnswers, readState, type Queues } from '@errand/queue';
import type { StepContext } from '../steps/step-context.js';

/** A question of another server, and its number among the questions of the call. */
interface Question {
  request: InputRequest;
  number: number;
}

interface AskedCall {
  tool: Tool;
  origin?: CallOrigin | undefined;
  /** The problems of the schema of an answer: no answer could be checked against a wrong one. */
  checkSchema: (schema: JsonSchema) => Promise<readonly Problem[]>;
}

/** The name under which a call of a step waits, as a node of the step. */
const NODE = 'answer';

/**
 * Suspends the step until each question has its answer, one after the other. An answer that is an error declines.
 * @param first the number of the first question. Each question of a call has a key of its own
 * @throws Suspended; TimeoutError at the deadline of the invocation; RemoteError NodeError for a schema that cannot be used
 */
export async function askForInput(
  queues: Queues,
  context: StepContext,
  call: AskedCall,
  requests: readonly InputRequest[],
  first: number,
): Promise<InputResponses> {
  const answers = await readAnswers(queues, context.work.id);
  const responses: InputResponses = {};
  for (const [index, request] of requests.entries()) {
    const question = { request, number: first + index };
    const given = answers.get(`${context.index}/${keyOf(call, question)}`)?.answer;
    if (!given) await wait(queues, context, call, question);
    else responses[request.key] = responseTo(given);
  }
  await recordEnd(context, call);
  return responses;
}

function responseTo(answer: Answer): InputResponses[string] {
  if ('error' in answer) return { action: 'decline' };
  return { action: 'accept', content: isObject(answer.result) ? answer.result : { value: answer.result } };
}

/** @throws Suspended */
async function wait(queues: Queues, context: StepContext, call: AskedCall, question: Question): Promise<never> {
  const { deadline, work } = context;
  if (deadline !== undefined && deadline <= Date.now())
    throw new ToolError('TimeoutError', `Nobody answered ${call.tool.toolId} in time`);
  const key = keyOf(call, question);
  const field = `${context.index}/${nodeOf(call)}`;
  const stored = (await readState(queues, work.id)).get(field);
  const before = stored === undefined ? undefined : (JSON.parse(stored) as { waiting?: Waiting });
  if (before?.waiting?.key !== key) {
    const waiting = waitingFor(question, key, deadline);
    await requireSchema(call, waiting.schema);
    await record(context, call, 'waiting_external', waiting);
  }
  throw new Suspended(deadline, true);
}

async function requireSchema({ checkSchema, tool }: AskedCall, schema: JsonSchema): Promise<void> {
  const [problem] = await checkSchema(schema);
  if (!problem) return;
  const message = `${tool.toolId} asked for input with a schema that cannot be used: ${problem.message}`;
  throw new RemoteError('NodeError', message, 'none');
}

function waitingFor(
  { request }: Question,
  key: string,
  deadline: number | undefined,
): Waiting & { schema: JsonSchema } {
  const prompt: Json = request.message;
  const until = deadline === undefined ? null : new Date(deadline).toISOString();
  return { for: 'answer', key, until, prompt, schema: { ...request.schema, type: 'object' } };
}

async function recordEnd(context: StepContext, call: AskedCall): Promise<void> {
  await record(context, call, 'running');
}

async function record(
  context: StepContext,
  call: AskedCall,
  status: 'waiting_external' | 'running',
  waiting?: Waiting,
): Promise<void> {
  const { index, journal, events } = context;
  const nodeId = nodeOf(call);
  const startedAt = new Date().toISOString();
  const state = { nodeId, type: call.tool.toolId, status, startedAt, finishedAt: null, ...(waiting && { waiting }) };
  await journal.writeState(`${index}/${nodeId}`, state);
  events.emit({ event: 'step', index, status, nodeId });
}

function nodeOf({ origin }: AskedCall): string {
  return origin ? `${origin.key}?` : NODE;
}

function keyOf(call: AskedCall, { number }: Question): string {
  return `${nodeOf(call)}:${number}`;
}
