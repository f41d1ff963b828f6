import { isInvocationId } from '@errand/contracts';
import {
  openResult,
  partOfResult,
  Queues,
  readArtifact,
  resultAt,
  searchResult,
  type ResultReader,
  type TenantReach,
} from '@errand/queue';
import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ResultQuery } from './control-requests.js';
import { findInvocation, notFound } from './find-invocation.js';
import { Scope } from './guard-access.js';
import { ProblemError } from './problem-error.js';
import { readLimit, requirePointer, wholeNumber } from './read-parameter.js';
import type { RequestScope } from './request-scope.js';

/** Default and highest number of characters, or of matches, in one response. */
const DEFAULT_PART = 8_000;
const LARGEST_PART = 1_000_000;
const DEFAULT_MATCHES = 20;
const MOST_MATCHES = 100;

/** Reads results by parts, and the artifacts of scripts. */
@Controller('v1/invocations/:id')
export class ResultsController {
  constructor(private readonly queues: Queues) {}

  /**
   * A part of the result, or of the value at `path` (JSON Pointer), as text: a string as it is, other values as JSON. A whole value at
   * `path` is also in `value`, because the text of 5 and "5" is the same. With `q`, the positions where that text occurs.
   */
  @Get('result')
  async read(
    @Scope() { reach }: RequestScope,
    @Param('id') id: string,
    @Query() { path, q, offset, limit }: ResultQuery,
  ) {
    const reader = await this.open(reach, id, path ?? '');
    const from = wholeNumber('offset', offset, 0);
    if (q !== undefined) {
      const most = readLimit(limit, DEFAULT_MATCHES, MOST_MATCHES);
      const { matches, next } = await searchResult(reader, q, { from, limit: most });
      return { matches, total: reader.total, nextOffset: next };
    }
    const to = Math.min(from + readLimit(limit, DEFAULT_PART, LARGEST_PART), reader.total);
    const { text, offset: begin, nextOffset } = await partOfResult(reader, from, to);
    const isWhole = path !== undefined && begin === 0 && nextOffset === null;
    return { text, offset: begin, total: reader.total, nextOffset, ...(isWhole && { value: await reader.whole() }) };
  }

  /** A file that a script handed out. Its content is not trusted: the browser must save it, and neither guess its type nor run it. */
  @Get('artifacts/:name')
  async artifact(
    @Scope() { reach }: RequestScope,
    @Param('id') id: string,
    @Param('name') name: string,
    @Query('step') step: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const invocation = await findInvocation(this.queues, reach, id);
    const wanted = step === undefined ? undefined : wholeNumber('step', step, 0);
    const found = await readArtifact(this.queues, invocation.id, name, wanted);
    if (!found) throw noSuchArtifact(name, invocation.artifacts?.map((artifact) => artifact.name) ?? []);
    const { artifact, bytes } = found;
    void reply
      .header('content-type', artifact.contentType)
      .header('content-disposition', attachmentNamed(artifact.name.replace(/^.*\//s, '')))
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', "sandbox; default-src 'none'")
      .header('etag', `"${artifact.sha256}"`)
      .header('cache-control', 'private, no-store')
      .send(bytes);
  }

  private async open(reach: TenantReach, id: string, path: string): Promise<ResultReader> {
    const result = isInvocationId(id) ? await openResult(this.queues, reach, id) : undefined;
    if (!result) return notFound(id);
    const { status, steps } = result;
    if (status !== 'succeeded')
      throw new ProblemError('conflict', `The invocation is ${status}; only one that succeeded has a result`);
    requirePointer(path);
    const reader = await resultAt(steps, path);
    if (!reader) throw new ProblemError('not_found', `The result has nothing at ${path.slice(0, 200)}`);
    return reader;
  }
}

/** RFC 6266: the name in ASCII for old clients, and the exact name. */
function attachmentNamed(name: string): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const exact = encodeURIComponent(name).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${exact}`;
}

function noSuchArtifact(name: string, known: readonly string[]): ProblemError {
  const shown = known.length > 0 ? `; it has ${known.slice(0, 20).join(', ')}` : '';
  return new ProblemError('not_found', `The invocation has handed out no file ${name.slice(0, 200)}${shown}`);
}
