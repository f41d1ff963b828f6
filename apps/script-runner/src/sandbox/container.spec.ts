import { Duplex } from 'node:stream';
import { ToolError } from '@errand/contracts';
import { SupervisorChannel } from './protocol/channel.js';
import { waitForReady } from './container.js';

/**
 * A channel whose supervisor writes `words` to stdout, in the frames of the Docker engine. `sent` are the bytes it
 * gets.
 */
function channelThatReads(words: string): { channel: SupervisorChannel; sent: Buffer[] } {
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
  return { channel: new SupervisorChannel(stream), sent };
}

const IMAGE = { image: 'errand-runner-python' };

describe('The ready message of a supervisor', () => {
  it.each([
    ['ready\n', false],
    ['ready apart\n', true],
  ])('The ready message %j opens a container with separated runs: %s', async (words, isApart) => {
    await expect(waitForReady(channelThatReads(words).channel, { ...IMAGE, isApart })).resolves.toBeUndefined();
  });

  it('An image with an older supervisor is refused before it gets anything, and the hint for the operator names the image', async () => {
    const { channel, sent } = channelThatReads('ready\n');
    const error: unknown = await waitForReady(channel, { ...IMAGE, isApart: true }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ type: 'ServiceError', hint: expect.stringContaining('errand-runner-python') });
    expect(error instanceof ToolError && error.message).not.toContain('errand-runner-python');
    expect(channel.isOpen).toBe(false);
    expect(sent).toEqual([]);
  });

  it('Another ready message is refused with SecurityError', async () => {
    for (const [words, isApart] of [
      ['ready apart\n', false],
      ['ready or not\n', true],
    ] as const) {
      const ready = waitForReady(channelThatReads(words).channel, { ...IMAGE, isApart });
      await expect(ready).rejects.toMatchObject({ type: 'SecurityError' });
    }
  });
});
