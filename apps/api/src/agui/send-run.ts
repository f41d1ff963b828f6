import type { FastifyReply } from 'fastify';
import { sendStream } from '../stream/send-event-stream.js';
import { loadAguiPackages } from './agui-packages.js';
import type { RunItem } from './show-run.js';

const PROTOBUF = 'application/vnd.ag-ui.event+proto';
const HEARTBEAT = ': still here\n\n';

/** Whether the client asks for protobuf by name. A client that accepts anything gets server-sent events, which it can read as text. */
function wantsProtobuf(accept: string | undefined): boolean {
  const range = accept?.split(',').find((part) => part.trim().toLowerCase().startsWith(PROTOBUF));
  return range !== undefined && !/;\s*q=0(\.0*)?\s*$/i.test(range);
}

/** Sends the events of a run as server-sent events or protobuf, at the speed of the client. */
export async function sendRun(
  reply: FastifyReply,
  items: AsyncIterable<RunItem>,
  { accept, turn }: { accept: string | undefined; turn: string | undefined },
): Promise<void> {
  const { EventEncoder } = await loadAguiPackages();
  const isBinary = wantsProtobuf(accept);
  const encoder = new EventEncoder(isBinary ? { accept: PROTOBUF } : {});
  type Encodable = Parameters<typeof encoder.encodeSSE>[0];
  const encode = (item: RunItem): string | Uint8Array => {
    // Protobuf has no comments, and a frame without an event is an error.
    if (item === 'heartbeat') return isBinary ? '' : HEARTBEAT;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the events are plain objects of the same shapes
    const events = item as readonly unknown[] as readonly Encodable[];
    if (!isBinary) return events.map((event) => encoder.encodeSSE(event)).join('');
    return Buffer.concat(events.map((event) => encoder.encodeBinary(event)));
  };
  if (turn !== undefined) void reply.header('errand-invocation', turn);
  await sendStream(reply, piecesOf(items, encode), isBinary ? PROTOBUF : 'text/event-stream; charset=utf-8');
}

async function* piecesOf(
  items: AsyncIterable<RunItem>,
  encode: (item: RunItem) => string | Uint8Array,
): AsyncGenerator<string | Uint8Array> {
  for await (const item of items) {
    const piece = encode(item);
    if (piece.length > 0) yield piece;
  }
}
