import * as fc from 'fast-check';
import { demultiplexer } from './channel.js';

function frame(stream: number, text: string): Buffer {
  const header = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

function read(chunks: Buffer[]): { stdout: string; stderr: string } {
  const seen = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const push = demultiplexer((stream, bytes) => seen[stream].push(bytes));
  for (const chunk of chunks) push(chunk);
  return { stdout: Buffer.concat(seen.stdout).toString(), stderr: Buffer.concat(seen.stderr).toString() };
}

describe('demultiplexer', () => {
  it('The streams are separated from chunks of any size', () => {
    const written = fc.array(fc.tuple(fc.constantFrom(1, 2), fc.string({ unit: 'binary' })));
    fc.assert(
      fc.property(written, fc.array(fc.nat(200)), (frames, cuts) => {
        let rest = Buffer.concat(frames.map(([stream, text]) => frame(stream, text)));
        const chunks = cuts.map((size) => {
          const chunk = rest.subarray(0, size);
          rest = rest.subarray(size);
          return chunk;
        });
        const of = (wanted: number) => frames.map(([stream, text]) => (stream === wanted ? text : '')).join('');
        expect(read([...chunks, rest])).toEqual({ stdout: of(1), stderr: of(2) });
      }),
    );
  });

  it('A piece is passed on before its frame is complete', () => {
    expect(read([frame(2, 'hello').subarray(0, 10)])).toEqual({ stdout: '', stderr: 'he' });
  });
});
