import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';
import { constants } from 'node:zlib';
import { addVary } from './entity-tags.js';

/** Smaller responses gain nothing. */
const MIN_BYTES = 1_024;
/** Texts of Errand itself: JSON, problems, the prompt, the metrics, and the files of `/docs`. */
const COMPRESSED_TYPES = /^(?:application\/(?:[\w.-]+\+)?json|text\/(?!event-stream))/;
/**
 * These responses stay as they are. An event stream must reach its client at once. An artifact is the output of a script: the plugin
 * passes bytes that look compressed on unchanged, but labels them as compressed, so that the client would unpack a hostile file.
 */
const UNCOMPRESSED: readonly string[] = ['/v1/invocations/:id/events', '/v1/invocations/:id/artifacts/:name'];
/** A window of 256 KiB bounds the memory of each response that is being compressed. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 } };

/**
 * Compresses responses of 1 KiB or more with Brotli or gzip, if the client accepts one of them. Large ones are compressed by a stream in
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
    encodings: ['br', 'gzip'],
    threshold: MIN_BYTES,
    customTypes: COMPRESSED_TYPES,
    brotliOptions: BROTLI,
  });
}
