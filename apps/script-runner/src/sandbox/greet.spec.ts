import { Duplex } from 'node:stream';
import { ToolError } from '@errand/contracts';
import { Dialogue } from './dialogue.js';
import { greet } from './greet.js';

/** A dialogue whose other side says these words on stdout, as the engine frames them; `sent` is what it hears. */
function dialogueThatHears(words: string): { dialogue: Dialogue; sent: Buffer[] } {
  const sent: Buffer[] = [];
  const stream = new Duplex({
    read() {},
    write(chunk: Buffer, _, done) {
      sent.push(chunk);
      done();
    },
  });
  const frame = Buffer.from([1, 0, 0, 0, 0, 0, 0, words.length]);
  stream.push(Buffer.concat([frame, Buffer.from(words)]));
  return { dialogue: new Dialogue(stream), sent };
}

const IMAGE = { image: 'errand-runner-python' };

describe('greet', () => {
  it.each([
    ['ready\n', false],
    ['ready apart\n', true],
  ])('The greeting %j opens a container whose runs are kept apart: %s', async (words, isApart) => {
    await expect(greet(dialogueThatHears(words).dialogue, { ...IMAGE, isApart })).resolves.toBeUndefined();
  });

  it('An image with an older supervisor is refused before it hears anything, and the hint for the operator names it', async () => {
    const { dialogue, sent } = dialogueThatHears('ready\n');
    const error: unknown = await greet(dialogue, { ...IMAGE, isApart: true }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ type: 'ServiceError', hint: expect.stringContaining('errand-runner-python') });
    expect(error instanceof ToolError && error.message).not.toContain('errand-runner-python');
    expect(dialogue.isOpen).toBe(false);
    expect(sent).toEqual([]);
  });

  it('A greeting of another kind is not taken for a supervisor', async () => {
    for (const [words, isApart] of [
      ['ready apart\n', false],
      ['ready or not\n', true],
    ] as const) {
      const greeting = greet(dialogueThatHears(words).dialogue, { ...IMAGE, isApart });
      await expect(greeting).rejects.toMatchObject({ type: 'SecurityError' });
    }
  });
});
