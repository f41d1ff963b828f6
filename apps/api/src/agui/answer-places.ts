import { isFinal, type Answer, type Waiting } from '@errand/contracts';
import { openWaits } from '@errand/protocol';
import { readAnswers, readInvocation, type Queues, type StoredInvocation } from '@errand/queue';

/** A step or node below a turn that takes an answer. */
export interface AnswerPlace {
  /** The id of the call of a client tool, else the id of an interrupt: the invocation and the field of its answer. */
  id: string;
  /** The client itself runs the tool. */
  client: boolean;
  invocationId: string;
  step: number;
  nodeId?: string;
  /** The call of the turn that waits. */
  callId?: string;
  toolName?: string;
  /** The stored answer. The step has not gone on yet. */
  answered?: Answer;
  waiting: Pick<Waiting, 'prompt' | 'schema' | 'until'>;
}

/** Agents that call agents are at most this deep. */
const MAX_NESTING = 16;
const NO_DEADLINE = { until: null };

/** Everything below a turn that waits for an answer now, and every call of a client tool that has not ended. */
export async function findPlaces(queues: Queues, tenant: string, turn: StoredInvocation): Promise<AnswerPlace[]> {
  if (isFinal(turn.status)) return [];
  const round = turn.steps[0]?.rounds?.at(-1);
  const clientCalls = new Map(round?.calls.filter(({ client }) => client).map((call) => [call.callId, call.toolId]));
  const search: Search = { queues, tenant, clientCalls, seen: new Set([turn.id]) };
  const child = round?.invocationId === undefined ? undefined : await readChild(search, round.invocationId);
  const [own, below] = await Promise.all([placesIn(search, turn), child ? placesIn(search, child) : []]);
  return [...own, ...below];
}

interface Search {
  queues: Queues;
  tenant: string;
  /** The calls of client tools of the turn's last round, with the names of their tools. */
  clientCalls: ReadonlyMap<string, string>;
  seen: Set<string>;
}

/** Undefined for an invocation that was read already. */
async function readChild({ queues, tenant, seen }: Search, id: string): Promise<StoredInvocation | undefined> {
  if (seen.has(id) || seen.size > MAX_NESTING) return undefined;
  seen.add(id);
  return readInvocation(queues, tenant, id);
}

async function placesIn(search: Search, invocation: StoredInvocation, above?: string): Promise<AnswerPlace[]> {
  if (isFinal(invocation.status)) return [];
  const answers = await readAnswers(search.queues, invocation.id);
  const places = invocation.steps.map(async (step): Promise<AnswerPlace[]> => {
    const { index, callId = above } = step;
    const at = { invocationId: invocation.id, step: index, ...(callId !== undefined && { callId }) };
    const toolName = search.clientCalls.get(step.callId ?? '');
    if (toolName !== undefined && step.callId !== undefined) {
      if (isFinal(step.status)) return [];
      const answered = answers.get(`${index}`)?.answer;
      const waiting = step.waiting?.for === 'answer' ? step.waiting : NO_DEADLINE;
      return [{ ...at, id: step.callId, client: true, toolName, waiting, ...(answered && { answered }) }];
    }
    const found = openWaits(step).map(async ({ field, nodeId, waiting }): Promise<AnswerPlace[]> => {
      if (waiting.invocationId !== undefined && waiting.invocationId !== invocation.id) {
        const below = await readChild(search, waiting.invocationId);
        return below ? placesIn(search, below, callId) : [];
      }
      const answered = answers.get(field)?.answer;
      const id = `${invocation.id}/${field}`;
      return [
        { ...at, id, client: false, waiting, ...(nodeId !== undefined && { nodeId }), ...(answered && { answered }) },
      ];
    });
    return (await Promise.all(found)).flat();
  });
  return (await Promise.all(places)).flat();
}
