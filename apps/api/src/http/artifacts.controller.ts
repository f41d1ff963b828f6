import { Queues, readArtifact } from '@errand/queue';
import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { findInvocation } from './find-invocation.js';
import { Tenant } from './guard-access.js';
import { ProblemError } from './problem-error.js';
import { wholeNumber } from './read-parameter.js';

/** Files that scripts handed out: strangers' bytes, so a browser is told to save them, and neither to guess nor to run anything. */
@Controller('v1/invocations')
export class ArtifactsController {
  constructor(private readonly queues: Queues) {}

  @Get(':id/artifacts/:name')
  async read(
    @Tenant() tenant: string,
    @Param('id') id: string,
    @Param('name') name: string,
    @Query('step') step: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const invocation = await findInvocation(this.queues, tenant, id);
    const wanted = step === undefined ? undefined : wholeNumber('step', step, 0);
    const found = await readArtifact(this.queues, invocation.id, name, wanted);
    if (!found) throw noSuchArtifact(name, invocation.artifacts?.map((artifact) => artifact.name) ?? []);
    const { artifact, bytes } = found;
    void reply
      .header('content-type', artifact.contentType)
      .header('content-disposition', attachmentNamed(artifact.name.split('/').at(-1)!))
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', "sandbox; default-src 'none'")
      .header('etag', `"${artifact.sha256}"`)
      .header('cache-control', 'private, no-store')
      .send(bytes);
  }
}

/** RFC 6266: for old clients in ASCII, for others as it is. */
function attachmentNamed(name: string): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const exact = encodeURIComponent(name).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${exact}`;
}

function noSuchArtifact(name: string, known: readonly string[]): ProblemError {
  const shown = known.length > 0 ? `; there are ${known.slice(0, 20).join(', ')}` : '';
  return new ProblemError('not_found', `The invocation has handed out no file ${name.slice(0, 200)}${shown}`);
}
