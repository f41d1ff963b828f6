import { createHash } from 'node:crypto';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { PlainReply } from './plain-reply.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Says which bodies of the route get an `ETag`. */
    isTagged?: (body: unknown) => boolean;
  }
}

/**
 * Gives the responses of a route an `ETag`, and 304 to a client that has the response already (RFC 9110, 13.1.2).
 * @param when tags only these bodies, before they are serialized; a text body is always tagged
 */
export const Tagged = (when: (body: unknown) => boolean = () => true): MethodDecorator =>
  RouteConfig({ isTagged: when });

/** A client must ask again before it uses its copy, and a shared cache must not have one. */
const CACHE_CONTROL = 'private, no-cache';
/** A tag in a list. An opaque tag may contain a comma (RFC 9110, 8.8.3). */
const TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/**
 * Tags responses by a digest of their tenant and content, so that two different responses never have the same tag. The tags are weak,
 * because a response has the same tag with and without compression.
 */
export function tagResponses(fastify: FastifyInstance): void {
  // Other routes get no hooks, because each hook costs time in every request.
  fastify.addHook('onRoute', (route) => {
    const isTagged = route.config?.isTagged;
    if (isTagged) tagRoute(route, isTagged);
  });
}

function tagRoute(route: RouteOptions, isTagged: (body: unknown) => boolean): void {
  const untagged = new WeakSet<FastifyRequest>();
  route.preSerialization = [route.preSerialization ?? []].flat();
  route.preSerialization.push((request, _reply, body: unknown, done) => {
    if (!isTagged(body)) untagged.add(request);
    done(null, body);
  });
  route.onSend = [route.onSend ?? []].flat();
  // Before Fastify's own hook of HEAD routes, which removes the body.
  route.onSend.unshift((request, reply, payload: unknown, done) => {
    done(null, untagged.has(request) ? payload : tagPayload(request, reply, payload));
  });
}

/** Adds the tag. @returns the payload, or null for 304 */
function tagPayload(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  if (reply.statusCode !== 200 || typeof payload !== 'string') return payload;
  const tag = tagOf(request.scope.tenant, payload);
  addVary(reply, 'Authorization');
  void reply.header('etag', `W/${tag}`).header('cache-control', CACHE_CONTROL);
  if (!matches(request.headers['if-none-match'], tag)) return payload;
  void reply.code(304);
  // Fastify removes the body of a HEAD request, and fails without one.
  if (request.method === 'HEAD') return payload;
  void reply.removeHeader('content-type').removeHeader('content-length');
  return null;
}

/** Adds a request header that changes the response, beside those that are listed already. */
export function addVary(reply: PlainReply, name: string): void {
  const listed = reply.getHeader('vary') ?? reply.raw.getHeader('vary');
  const before = Array.isArray(listed) ? listed.join(', ') : listed;
  void reply.header('vary', before === undefined ? name : `${before}, ${name}`);
}

/** Whether `If-None-Match` has the tag, by weak comparison. `*` matches every tag. */
export function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || [...header.matchAll(TAG)].some(([, opaque]) => opaque === tag);
}

function tagOf(tenant: string, payload: string): string {
  const digest = createHash('sha256').update(`${tenant}\0`).update(payload).digest('base64url');
  return `"${digest.slice(0, 27)}"`;
}
