import { negotiate } from '@fastify/accept-negotiator';
import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { brotliCompressSync, constants, createBrotliCompress, createGzip, gzipSync } from 'node:zlib';
import { addVary } from './entity-tags.js';

/**
 * The invocation of a single call has 1.2 KB. To compress and unpack it takes 80 µs of CPU time, and it fits into the first packets of a
 * connection anyway.
 */
const MIN_BYTES = 2_048;
/** Up to this length, starting a stream costs more than compressing. */
const SYNC_BYTES = 4_096;
/** Texts of Errand itself: JSON, problems, the prompt, the metrics, and the files of `/docs`. */
const COMPRESSED_TYPES = /^(?:application\/(?:[\w.-]+\+)?json|text\/(?!event-stream))/;
/**
 * These responses stay as they are. An event stream must reach its client at once. An artifact is the output of a script: the plugin
 * passes bytes that look compressed on unchanged, but labels them as compressed, so that the client would unpack a hostile file.
 */
const UNCOMPRESSED: readonly string[] = ['/v1/invocations/:id/events', '/v1/invocations/:id/artifacts/:name'];
/** A window of 256 KiB bounds the memory of each response that is being compressed. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 } };

const ENCODINGS: ('br' | 'gzip')[] = ['br', 'gzip'];

/**
 * Compresses responses of 2 KiB or more with Brotli or gzip, if the client accepts one of them. Large ones are compressed by a stream in
 * the thread pool, at the speed of the client. Bodies of requests are never unpacked, because a small body can unpack to a huge one.
 */
export async function compressResponses(fastify: FastifyInstance): Promise<void> {
  // This hook must precede the hook of the plugin, which reads `compress`.
  fastify.addHook('onRoute', (route) => {
    if (UNCOMPRESSED.includes(route.url)) route.compress = false;
  });
  // The plugin adds `accept-encoding` only to compressed responses, and would replace the `Vary` of the CORS headers.
  fastify.addHook('onRequest', (_request, reply, done) => {
    addVary(reply, 'accept-encoding');
    done();
  });
  await fastify.register(compress, {
    globalDecompression: false,
    encodings: ENCODINGS,
    threshold: MIN_BYTES,
    syncThreshold: SYNC_BYTES,
    customTypes: COMPRESSED_TYPES,
    brotliOptions: BROTLI,
  });
}

/**
 * Compresses the response to a request that Fastify does not see, by the rules of the plugin. Undefined if the response stays as it is.
 * @param payload JSON @returns the bytes of a small response, or a stream to which the payload was written
 */
export function compressJson(asked: IncomingHttpHeaders, payload: string | Buffer) {
  const accepted = asked['accept-encoding'];
  const length = Buffer.byteLength(payload);
  if (length < MIN_BYTES || accepted === undefined || asked['x-no-compression'] !== undefined) return undefined;
  const encoding = negotiate(accepted.toLowerCase().replaceAll(/\*|x-gzip/g, 'gzip'), ENCODINGS);
  if (encoding === null) return undefined;
  if (length <= SYNC_BYTES)
    return { encoding, bytes: encoding === 'br' ? brotliCompressSync(payload, BROTLI) : gzipSync(payload) };
  const stream = encoding === 'br' ? createBrotliCompress(BROTLI) : createGzip();
  stream.end(payload);
  return { encoding, stream };
}
