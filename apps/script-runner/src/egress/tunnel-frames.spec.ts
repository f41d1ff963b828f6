import * as fc from 'fast-check';
import { encodeFrame, splitFrames, type TunnelFrame } from './tunnel-frames.js';

function split(chunks: Buffer[]) {
  const frames: [TunnelFrame, string][] = [];
  let response = '';
  const push = splitFrames(
    (frame, bytes) => frames.push([frame, bytes.toString('latin1')]),
    (bytes) => (response += bytes.toString('latin1')),
  );
  for (const chunk of chunks) push(chunk);
  return { frames, response };
}

describe('splitFrames', () => {
  it('splitFrames reads frames from chunks of any size and passes the response on unchanged', () => {
    const payload = fc.string({ unit: 'binary-ascii', maxLength: 300 });
    fc.assert(
      fc.property(fc.array(payload), fc.array(fc.nat(60)), (payloads, cuts) => {
        const sent = payloads.map((text, i): [TunnelFrame, string] => [{ tunnel: i, bytes: text.length }, text]);
        const response = '{"nonce":"x","stdoutBytes":3}\n{"tunnel":1,"open":true}\n';
        let rest = Buffer.concat([
          ...sent.map(([frame, text]) => encodeFrame(frame, Buffer.from(text, 'latin1'))),
          Buffer.from(response),
        ]);
        const chunks = cuts.map((size) => {
          const chunk = rest.subarray(0, size);
          rest = rest.subarray(size);
          return chunk;
        });
        expect(split([...chunks, rest])).toEqual({ frames: sent, response });
      }),
    );
  });

  it.each([
    '{"tunnel":1}',
    '{"tunnel":-1,"open":true}',
    '{"tunnel":1,"bytes":70000}',
    '{"tunnel":1,"bytes":-5}',
    '{"tunnel":"1","open":true}',
    'null',
    '"tunnel"',
    'no JSON',
  ])('The invalid frame %s is passed on as part of the response', (line) => {
    expect(split([Buffer.from(`${line}\n`)])).toEqual({ frames: [], response: `${line}\n` });
  });

  it('A line without an end is passed on as part of the response', () => {
    const endless = Buffer.alloc(70_000, 'x');
    expect(split([endless]).response).toHaveLength(70_000);
  });
});
