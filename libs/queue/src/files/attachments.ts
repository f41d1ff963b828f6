import { createHash } from 'node:crypto';
import { ToolError, type Attachment } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { keys } from '../redis/names.js';

export interface NewAttachment {
  name: string;
  contentType?: string;
  bytes: Buffer;
}

/**
 * Keeps files that came with a submission, each once under its digest, and gives what the job carries of them.
 * One round trip.
 * @param delayMs how much later than now its invocation may begin
 */
export async function storeAttachments(
  { redis, retention }: Queues,
  tenant: string,
  files: readonly NewAttachment[],
  delayMs = 0,
): Promise<Attachment[]> {
  const attachments = files.map(({ name, contentType, bytes }) => {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { name, ...(contentType !== undefined && { contentType }), size: bytes.length, sha256 };
  });
  const keepSeconds = retention.ageSeconds + Math.ceil(delayMs / 1_000);
  await Promise.all(
    attachments.map(({ sha256 }, index) =>
      redis.set(keys.attachment(tenant, sha256), files[index]!.bytes, 'EX', keepSeconds),
    ),
  );
  return attachments;
}

/**
 * The bytes of attachments, in their order.
 * @throws ToolError LostError where one is no longer kept, SecurityError where what is kept is not what came
 */
export async function readAttachments(
  { redis }: Queues,
  tenant: string,
  attachments: readonly Attachment[],
): Promise<Buffer[]> {
  const found = await Promise.all(attachments.map(({ sha256 }) => redis.getBuffer(keys.attachment(tenant, sha256))));
  return found.map((bytes, index) => {
    const { name, sha256 } = attachments[index]!;
    if (!bytes) throw new ToolError('LostError', `The attachment ${name} is no longer kept; submit it again`);
    if (createHash('sha256').update(bytes).digest('hex') === sha256) return bytes;
    throw new ToolError('SecurityError', `What is kept as the attachment ${name} is not what was submitted`);
  });
}
