const HEADER = 8;

export type ContainerStream = 'stdout' | 'stderr';

/**
 * Undoes the engine's multiplexing of an attached container: chunks of `[stream, 0, 0, 0, length (32 bits, big-endian)]` and
 * `length` bytes. Passes pieces on as they come and holds no more than an unfinished header.
 */
export function demultiplexer(onChunk: (stream: ContainerStream, bytes: Buffer) => void): (data: Buffer) => void {
  let header = Buffer.alloc(0);
  let left = 0;
  return (data) => {
    while (data.length > 0) {
      if (left === 0) {
        const missing = HEADER - header.length;
        header = Buffer.concat([header, data.subarray(0, missing)]);
        data = data.subarray(missing);
        if (header.length < HEADER) return;
        left = header.readUInt32BE(4);
      }
      const piece = data.subarray(0, left);
      data = data.subarray(left);
      left -= piece.length;
      if (piece.length > 0) onChunk(header[0] === 2 ? 'stderr' : 'stdout', piece);
      if (left === 0) header = Buffer.alloc(0);
    }
  };
}
