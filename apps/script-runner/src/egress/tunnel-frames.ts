import { isObject } from '@errand/contracts';

/**
 * What runner and supervisor say of tunnels, in both directions, between a run's request and its answer: a line of JSON, and
 * behind one with `bytes` so many bytes. `open` is the supervisor's alone; `end`: no more bytes will come; `close`: it is over in
 * both directions; `taken`: so many bytes have gone on their way, as many more may come.
 */
export type TunnelFrame = { tunnel: number } & (
  { open: true } | { bytes: number } | { taken: number } | { end: true } | { close: true }
);

/** The runner's last word about tunnels, when it knows that the script has ended. */
export const TUNNELS_OVER = Buffer.from(`${JSON.stringify({ over: true })}\n`);

const NEWLINE = 10;
const MAX_LINE = 64 * 1024;
const EMPTY = Buffer.alloc(0);

export function encodeFrame(frame: TunnelFrame, bytes: Buffer = EMPTY): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(frame)}\n`), bytes]);
}

/**
 * Takes the frames of tunnels out of what a supervisor writes; the first line that is none begins its answer, and it and all
 * that follows is passed on as it is. Holds no more than one frame, which the sender's window bounds.
 */
export function splitFrames(
  onFrame: (frame: TunnelFrame, bytes: Buffer) => void,
  onAnswer: (bytes: Buffer) => void,
): (bytes: Buffer) => void {
  let held: Buffer = EMPTY;
  let answering = false;
  /** One frame off the front of what is held; false when more must come first. */
  const takeFrame = (): boolean => {
    const lineEnd = held.indexOf(NEWLINE) + 1;
    if (lineEnd === 0 && held.length <= MAX_LINE) return false;
    const frame = readFrame(held.subarray(0, lineEnd));
    if (!frame) {
      answering = true;
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
    if (answering) return onAnswer(bytes);
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    while (takeFrame());
    if (!answering || held.length === 0) return;
    onAnswer(held);
    held = EMPTY;
  };
}

/** The frame in a line; undefined where it is another line. Field by field: the supervisor shares its user with the script. */
function readFrame(line: Buffer): TunnelFrame | undefined {
  let told: unknown;
  try {
    told = JSON.parse(line.toString());
  } catch {
    return undefined;
  }
  if (!isObject(told) || !isCount(told.tunnel, Number.MAX_SAFE_INTEGER)) return undefined;
  const { tunnel, bytes, taken } = told;
  if (told.open === true) return { tunnel, open: true };
  if (told.end === true) return { tunnel, end: true };
  if (told.close === true) return { tunnel, close: true };
  if (isCount(bytes, MAX_LINE)) return { tunnel, bytes };
  return isCount(taken, Number.MAX_SAFE_INTEGER) ? { tunnel, taken } : undefined;
}

function isCount(value: unknown, max: number): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= max;
}
