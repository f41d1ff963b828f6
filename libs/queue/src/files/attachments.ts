import { createHash } from 'node:crypto';
import { ToolError, type Attachment } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';

interface NewAttachment {
  name: string;
  contentType?: string;
  bytes: Buffer;
}

/**
 * Stores the files of a submission by digest, and returns their descriptions for the job. One round trip.
 * @param delayMs the delay of the invocation, which extends the expiry
 */
export async function storeAttachments(
  { redis, retention }: Queues,
  tenant: string,
  files: readonly NewAttachment[],
  delayMs = 0,
): Promise<Attachment[]> {
  const keys = keysOf(redis);
  const stored = files.map(({ name, contentType, bytes }) => {
    const sha256 = digestOfFile(bytes);
    return {
      bytes,
      attachment: { name, ...(contentType !== undefined && { contentType }), size: bytes.length, sha256 },
    };
  });
  const keepSeconds = retention.ageSeconds + Math.ceil(delayMs / 1_000);
  await Promise.all(
    stored.map(({ bytes, attachment }) =>
      redis.set(keys.attachment(tenant, attachment.sha256), bytes, 'EX', keepSeconds),
    ),
  );
  return stored.map(({ attachment }) => attachment);
}

/** The digest by which a file is stored. */
export function digestOfFile(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Reads the bytes of attachments, in the order of the attachments.
 * @throws ToolError LostError if one is not stored any more; SecurityError if the stored bytes do not match the digest
 */
export async function readAttachments(
  { redis }: Queues,
  tenant: string,
  attachments: readonly Attachment[],
): Promise<Buffer[]> {
  const keys = keysOf(redis);
  return Promise.all(
    attachments.map(async ({ name, sha256 }) => {
      const bytes = await redis.getBuffer(keys.attachment(tenant, sha256));
      if (!bytes) throw new ToolError('LostError', `The attachment ${name} is no longer stored; submit it again`);
      if (createHash('sha256').update(bytes).digest('hex') === sha256) return bytes;
      throw new ToolError('SecurityError', `The stored attachment ${name} differs from the submitted one`);
    }),
  );
}
