import type { NodeState, Step, Waiting } from '@errand/contracts';
import { readAnswers, readState, type Answers, type Queues, type StoredInvocation } from '@errand/queue';

/**
 * The step with the waits for answers that it and its nodes have stored. While an invocation is queued (its worker has died, or an answer has
 * resumed it), it shows no waits, but it asks the same questions again. Waits that have their answer are left out.
 */
export async function withStoredWaits(queues: Queues, { id, status }: StoredInvocation, step: Step): Promise<Step> {
  if (status !== 'queued') return step;
  const [state, answers] = await Promise.all([readState(queues, id), readAnswers(queues, id)]);
  const { index, nodes = [] } = step;
  const waiting = openWait(`${index}`, state.get(`${index}`), answers);
  return {
    ...step,
    ...(waiting && { waiting }),
    nodes: nodes.map((node) => {
      const asked = openWait(`${index}`, state.get(`${index}/${node.nodeId}`), answers);
      return asked ? { ...node, waiting: asked } : node;
    }),
  };
}

/** The wait for an answer in the state of a step or node; undefined if it has none, or if the answer is stored. */
function openWait(step: string, text: string | undefined, answers: Answers): Waiting | undefined {
  const { waiting } = text === undefined ? {} : (JSON.parse(text) as Partial<Pick<NodeState, 'waiting'>>);
  if (waiting?.for !== 'answer') return undefined;
  return answers.has(waiting.key === undefined ? step : `${step}/${waiting.key}`) ? undefined : waiting;
}
