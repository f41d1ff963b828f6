import { newInvocationId } from '@errand/contracts';
import { appendMessages, beginAttempt, MAIN, messageOf, turnOf } from '../../test/sessions.js';
import { useQueues } from '../../test/use-queues.js';
import { searchMessages, submitInvocation, type Conversation } from '../index.js';

const kit = useQueues();

async function fill(session: string, contents: readonly string[]): Promise<Conversation> {
  const conversation = { ...MAIN, session };
  const id = newInvocationId();
  await submitInvocation(kit.queues, 'invocations', id, turnOf(conversation));
  const turn = await beginAttempt(kit.queues, id, conversation);
  await appendMessages(
    kit.queues,
    turn,
    contents.map((content, n) => messageOf(`m${n}`, { content })),
  );
  return conversation;
}

const search = (conversation: Conversation, query: string, limit = 5) =>
  searchMessages(kit.queues, conversation, { query, limit });
const idsOf = async (conversation: Conversation, query: string, limit = 5) =>
  (await search(conversation, query, limit)).matches.map(({ id }) => id);

describe('A search in the messages of a conversation', () => {
  it('Messages with more of the words come first, then newer ones', async () => {
    const conversation = await fill('ranks', ['A red door', 'a blue DOOR', 'nothing', 'the red book', 'red, red door']);
    expect(await idsOf(conversation, 'red door')).toEqual(['m4', 'm0', 'm3', 'm1']);
    expect(await idsOf(conversation, 'Red Door', 2)).toEqual(['m4', 'm0']);
    expect(await idsOf(conversation, 'green')).toEqual([]);
    expect(await idsOf(conversation, '   ')).toEqual([]);
  });

  it('A match has the part of the message around the first word', async () => {
    const conversation = await fill('parts', [`${'😀'.repeat(300)} needle ${'y'.repeat(1_000)}`]);
    const { matches, searched } = await search(conversation, 'needle');
    expect(searched).toBe(1);
    expect(matches).toMatchObject([{ id: 'm0', role: 'user', text: expect.stringMatching(/^….*needle.*…$/su) }]);
    expect(matches[0]!.text.length).toBeLessThan(400);
    expect(matches[0]!.text).not.toMatch(/\p{Cs}/u);
  });

  it('The whole conversation is searched, however long it is', async () => {
    const contents = Array.from({ length: 3_000 }, (_, n) => (n === 7 ? 'the needle' : `straw ${'x'.repeat(400)}`));
    const conversation = await fill('long', contents);
    expect(await search(conversation, 'needle')).toMatchObject({ matches: [{ id: 'm7' }], searched: 3_000 });
  });

  it('A conversation of another tenant, session or agent is not searched', async () => {
    const conversation = await fill('own', ['a needle']);
    for (const other of [
      { ...conversation, tenant: 'acme' },
      { ...conversation, agent: 'bob' },
      { ...conversation, session: 'not own' },
    ])
      expect(await idsOf(other, 'needle')).toEqual([]);
  });
});
