import { createHash } from 'node:crypto';
import { ToolError, type Attachment } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import type { InvocationRecord } from '../state/record.js';
import { extendExpiry } from '../suspend/suspend-job.js';

interface NewAttachment {
  name: string;
  contentType?: string;
  bytes: Buffer;
}

/**
 * Stores the files of a submission by digest, and returns their descriptions for the job. Other submissions may have the same file, so a stored
 * file never gets a shorter expiry. One round trip.
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
  const names = stored.map(({ attachment }) => keys.attachment(tenant, attachment.sha256));
  // The extension comes first, so that a file that SET finds does not expire.
  await Promise.all([
    extendExpiry(redis, names, keepSeconds),
    ...stored.map(({ bytes }, n) => redis.set(names[n] ?? '', bytes, 'EX', keepSeconds, 'NX')),
  ]);
  return stored.map(({ attachment }) => attachment);
}

/**
 * Makes the files of an invocation expire when the retention age has passed after a wait of `waitMs`, at the earliest: a later attempt or a
 * repair reads them again. Files that are gone stay gone. One round trip.
 */
export async function extendAttachments(
  { redis, retention }: Queues,
  { tenant, attachments = [] }: Pick<InvocationRecord, 'tenant' | 'attachments'>,
  waitMs = 0,
): Promise<void> {
  const keys = keysOf(redis);
  if (attachments.length === 0) return;
  const names = attachments.map(({ sha256 }) => keys.attachment(tenant, sha256));
  await extendExpiry(redis, names, retention.ageSeconds + Math.ceil(waitMs / 1_000));
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
