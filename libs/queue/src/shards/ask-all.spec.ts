import type { Queues } from '../redis/connect.js';
import { askAll } from './ask-all.js';

/** What is asked of a keyspace: its name, and whether its connection is lost. */
const keyspace = (name: string, isLost = false) => ({ keyspace: `{${name}}`, redis: { isLost } }) as unknown as Queues;

/** Asks for the names of the keyspaces. Those in `failing` do not answer. */
async function askNames(all: Queues[], failing: string[] = []) {
  const asked: string[] = [];
  const answered = askAll(all, async ({ keyspace: name }) => {
    asked.push(name);
    if (failing.includes(name)) throw new Error(`${name} is away`);
    return name;
  });
  return { asked, answered };
}

describe('A question to all keyspaces', () => {
  it('A keyspace that does not answer is named, and the others answer', async () => {
    const { answered } = await askNames([keyspace('one'), keyspace('two')], ['{two}']);
    expect(await answered).toEqual({ answers: ['{one}'], missing: ['two'] });
  });

  it('A keyspace that is lost is named without being asked', async () => {
    const { asked, answered } = await askNames([keyspace('one'), keyspace('two', true)]);
    expect(await answered).toEqual({ answers: ['{one}'], missing: ['two'] });
    expect(asked).toEqual(['{one}']);
  });

  it('If all keyspaces are lost, the reason of the first one is the error', async () => {
    const { answered } = await askNames([keyspace('one', true), keyspace('two', true)], ['{one}', '{two}']);
    await expect(answered).rejects.toThrow('{one} is away');
  });
});
