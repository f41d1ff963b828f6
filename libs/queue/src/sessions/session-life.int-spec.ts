import { newInvocationId } from '@errand/contracts';
import { appendMessages, beginAttempt, livesOf, MAIN, messageOf, turnOf } from '../../test/sessions.js';
import { recordOf, suspendOnce, useQueues } from '../../test/use-queues.js';
import { cancelInvocation, keepSession, settleSession, submitInvocation, type Conversation } from '../index.js';

const kit = useQueues({ each: true });
const BOB = { ...MAIN, agent: 'bob' };
const AGE = 30 * 86_400;
const YEAR = 365 * 86_400;

/** A turn that waits for an answer, and a message of its conversation. */
async function suspendTurn(conversation: Conversation): Promise<string> {
  const consumer = await kit.serve('invocations', suspendOnce(undefined, 'answer'));
  const id = newInvocationId();
  await submitInvocation(kit.queues, 'invocations', id, turnOf(conversation));
  await kit.until(id, 'waiting_external');
  await consumer.close();
  const other = newInvocationId();
  await submitInvocation(
    kit.queues,
    'invocations',
    other,
    turnOf(conversation, { parentTurn: { invocationId: id, step: 0, round: 0 } }),
  );
  const turn = await beginAttempt(kit.queues, other, conversation);
  await appendMessages(kit.queues, turn, [messageOf(`m of ${id}`)]);
  await kit.queues.redis.hdel(`{errand}:invocations:${other}`, 'ats');
  await cancelInvocation(kit.queues, 'default', other);
  return id;
}
const shortestOf = async (conversation: Conversation) =>
  Math.min(...Object.values(await livesOf(kit.queues, conversation)));
const longestOf = async (conversation: Conversation) =>
  Math.max(...Object.values(await livesOf(kit.queues, conversation)));

describe('The life of a session', () => {
  it('A suspended turn keeps all keys of its session, and its end gives them the usual life again', async () => {
    const ids = [await suspendTurn(MAIN), await suspendTurn(BOB)];
    await keepSession(kit.queues, turnOf(MAIN), undefined);
    await keepSession(kit.queues, turnOf(BOB), Date.now() + 90 * 86_400_000);
    for (const conversation of [MAIN, BOB]) expect(await shortestOf(conversation)).toBeGreaterThan(YEAR);
    await settleSession(kit.queues, turnOf(MAIN));
    expect(await shortestOf(MAIN)).toBeGreaterThan(YEAR);
    await cancelInvocation(kit.queues, 'default', ids[0]!);
    expect(await shortestOf(MAIN)).toBeGreaterThan(YEAR);
    await cancelInvocation(kit.queues, 'default', ids[1]!);
    for (const conversation of [MAIN, BOB]) expect(await longestOf(conversation)).toBeLessThanOrEqual(AGE);
  });

  it('A turn with a deadline keeps its session until then', async () => {
    await suspendTurn(MAIN);
    await keepSession(kit.queues, turnOf(MAIN), Date.now() + 90 * 86_400_000);
    const life = await shortestOf(MAIN);
    expect(life).toBeGreaterThan(AGE + 89 * 86_400);
    expect(life).toBeLessThanOrEqual(AGE + 90 * 86_400);
  });

  it('An invocation that is no turn keeps no session, and an unknown session stays unknown', async () => {
    await keepSession(kit.queues, recordOf({ session: MAIN.session }), undefined);
    await keepSession(kit.queues, turnOf({ ...MAIN, session: 'none' }), undefined);
    expect(await kit.queues.redis.keys('{errand}:session:*')).toEqual([]);
  });
});
