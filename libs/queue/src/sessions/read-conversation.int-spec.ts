import { newInvocationId } from '@errand/contracts';
import { appendMessages, beginAttempt, MAIN, messageOf, turnOf } from '../../test/sessions.js';
import { useQueues } from '../../test/use-queues.js';
import { knownMessages, readConversation, submitInvocation, TurnWriter, type Conversation } from '../index.js';
import { conversationKeys } from './conversation.js';
import { keys } from '../redis/names.js';

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

const idsWithin = async (conversation: Conversation, maxChars: number) => {
  const { messages, older } = await readConversation(kit.queues, conversation, { maxChars });
  return { ids: messages.map(({ id }) => id), older };
};

describe('The newest messages of a conversation', () => {
  it('A conversation without messages is empty', async () => {
    expect(await readConversation(kit.queues, { ...MAIN, session: 'none' }, { maxChars: 100 })).toEqual({
      messages: [],
      older: 0,
    });
  });

  it('The messages within the size come oldest first, with the number of older ones', async () => {
    const conversation = await fill('sizes', ['aaaa', 'bbbb', 'cc', 'dd']);
    expect(await idsWithin(conversation, 7)).toEqual({ ids: ['m2', 'm3'], older: 2 });
    expect(await idsWithin(conversation, 8)).toEqual({ ids: ['m1', 'm2', 'm3'], older: 1 });
    expect(await idsWithin(conversation, 11)).toEqual({ ids: ['m1', 'm2', 'm3'], older: 1 });
    expect(await idsWithin(conversation, 12)).toEqual({ ids: ['m0', 'm1', 'm2', 'm3'], older: 0 });
  });

  it('The newest message is there even if it alone exceeds the size', async () => {
    expect(await idsWithin(await fill('large', ['a', 'b'.repeat(100)]), 10)).toEqual({ ids: ['m1'], older: 1 });
  });

  it('The names and arguments of calls count as characters', async () => {
    const conversation = await fill('calls', ['first']);
    const id = newInvocationId();
    await submitInvocation(kit.queues, 'invocations', id, turnOf(conversation));
    const call = { id: 'c', type: 'function', function: { name: 'x:y', arguments: '{"a":1}' } } as const;
    const message = messageOf('calls', { role: 'assistant', content: '', toolCalls: [call] });
    await new TurnWriter(kit.queues, await beginAttempt(kit.queues, id, conversation)).commit({ messages: [message] });
    expect(await idsWithin(conversation, 14)).toEqual({ ids: ['calls'], older: 1 });
    expect(await idsWithin(conversation, 15)).toEqual({ ids: ['m0', 'calls'], older: 0 });
  });

  it('A message keeps its characters, also lone surrogates and those of several units', async () => {
    const content = 'a\ud800b\u0000 ends \ud83d\ude00 "quoted" \\ {{x}}';
    const conversation = await fill('odd', [content]);
    expect((await readConversation(kit.queues, conversation, { maxChars: 1 })).messages[0]!.content).toBe(content);
  });

  it('Only a bounded number of short messages is read', async () => {
    const conversation = await fill(
      'short',
      Array.from({ length: 1_000 }, () => 'x'),
    );
    expect(await idsWithin(conversation, 1e6)).toMatchObject({ older: 600 });
  });

  it('A conversation of 10,000 messages costs as many commands and bytes as one of 10', async () => {
    const content = 'x'.repeat(100);
    const short = await fill(
      'ten',
      Array.from({ length: 10 }, () => content),
    );
    const long = await fill(
      'ten thousand',
      Array.from({ length: 10_000 }, () => content),
    );
    const costOf = async (conversation: Conversation) => {
      const { stream } = kit.queues.redis;
      await readConversation(kit.queues, conversation, { maxChars: 500 });
      await kit.queues.redis.config('RESETSTAT');
      const before = [stream.bytesRead, stream.bytesWritten];
      const { messages } = await readConversation(kit.queues, conversation, { maxChars: 500 });
      const bytes = [stream.bytesRead - before[0]!, stream.bytesWritten - before[1]!];
      expect(messages).toHaveLength(5);
      const stats = await kit.queues.redis.info('commandstats');
      return { bytes, commands: stats.match(/cmdstat_\w+:calls=\d+/g)!.filter((line) => !/config|info/.test(line)) };
    };
    const [ten, tenThousand] = [await costOf(short), await costOf(long)];
    expect(tenThousand.commands).toEqual(ten.commands);
    // The ids of the messages and the number of older ones have more digits.
    expect(Math.abs(tenThousand.bytes[0]! - ten.bytes[0]!)).toBeLessThan(50);
    expect(Math.abs(tenThousand.bytes[1]! - ten.bytes[1]!)).toBeLessThan(50);
  });

  it('A conversation of one message takes less than 1,000 bytes of Redis', async () => {
    const { messages, ids } = conversationKeys(keys, await fill('one', ['a']));
    const sizes = await Promise.all([messages, ids].map((key) => kit.queues.redis.memory('USAGE', key)));
    expect(sizes.reduce((sum, size) => Number(sum) + Number(size), 0)).toBeLessThan(1_000);
  });

  it('The known ones among message ids are found', async () => {
    const conversation = await fill('known', ['a', 'b']);
    expect(await knownMessages(kit.queues, conversation, ['m0', 'other', 'm1'])).toEqual(new Set(['m0', 'm1']));
    expect(await knownMessages(kit.queues, conversation, [])).toEqual(new Set());
  });
});
