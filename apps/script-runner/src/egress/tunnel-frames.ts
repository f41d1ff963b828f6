import { isObject } from '@errand/contracts';

/**
 * A frame of a tunnel, in both directions, between the request of a run and its response. A frame is a line of JSON; the
 * number of bytes in `bytes` follows it.
 *
 * - `open`: a new connection; only the supervisor sends it.
 * - `bytes`: data of the connection.
 * - `taken`: the sender has processed this number of bytes, so the receiver may send as many more.
 * - `end`: the sender sends no more bytes.
 * - `close`: the connection is closed in both directions.
 */
export type TunnelFrame = { tunnel: number } & (
  | { open: true }
  | { bytes: number }
  | { taken: number }
  | { end: true }
  | { close: true }
);

/** The last frame of the runner in a run. The runner sends it when the script has ended. */
export const TUNNELS_OVER = Buffer.from(`${JSON.stringify({ over: true })}\n`);

const NEWLINE = 10;
const MAX_LINE = 64 * 1024;
const EMPTY = Buffer.alloc(0);

export function encodeFrame(frame: TunnelFrame, bytes: Buffer = EMPTY): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(frame)}\n`), bytes]);
}

/**
 * Splits the output of a supervisor into frames of tunnels and the response. The first line that is not a frame begins the
 * response. It passes the response on unchanged. It holds at most one frame, which the window of the sender bounds.
 */
export function splitFrames(
  onFrame: (frame: TunnelFrame, bytes: Buffer) => void,
  onResponse: (bytes: Buffer) => void,
): (bytes: Buffer) => void {
  let held: Buffer = EMPTY;
  let isResponse = false;
  /** Takes one frame from the held bytes. Returns false if more bytes must come first. */
  const takeFrame = (): boolean => {
    const lineEnd = held.indexOf(NEWLINE) + 1;
    if (lineEnd === 0 && held.length <= MAX_LINE) return false;
    const frame = readFrame(held.subarray(0, lineEnd));
    if (!frame) {
      isResponse = true;
      return false;
    }
    const end = lineEnd + ('bytes' in frame ? frame.bytes : 0);
    if (held.length < end) return false;
    const payload = held.subarray(lineEnd, end);
    held = held.subarray(end);
    onFrame(frame, payload);
    return held.length > 0;
  };
  return (bytes) => {
    if (isResponse) return onResponse(bytes);
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    while (takeFrame());
    if (!isResponse || held.length === 0) return;
    onResponse(held);
    held = EMPTY;
  };
}

/**
 * Returns the frame in a line, or undefined for another line. It checks each field, because the supervisor of a container
 * for one run has the script's user.
 */
function readFrame(line: Buffer): TunnelFrame | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line.toString());
  } catch {
    return undefined;
  }
  if (!isObject(parsed) || !isCount(parsed.tunnel, Number.MAX_SAFE_INTEGER)) return undefined;
  const { tunnel, bytes, taken } = parsed;
  if (parsed.open === true) return { tunnel, open: true };
  if (parsed.end === true) return { tunnel, end: true };
  if (parsed.close === true) return { tunnel, close: true };
  if (isCount(bytes, MAX_LINE)) return { tunnel, bytes };
  return isCount(taken, Number.MAX_SAFE_INTEGER) ? { tunnel, taken } : undefined;
}

function isCount(value: unknown, max: number): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= max;
}
