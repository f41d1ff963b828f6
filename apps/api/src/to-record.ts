import type { Attachment } from '@errand/contracts';
import type { InvocationRecord, RecordedCall } from '@errand/queue';
import type { SubmitRequest } from './http/submission-requests.js';
import type { Understood } from './understand-request.js';

/** What the job of an accepted submission carries. */
export function toRecord(
  request: SubmitRequest,
  caller: { tenant: string; trace?: string },
  calls: RecordedCall[],
  { responseText, warnings }: Understood,
  attachments: Attachment[],
): InvocationRecord {
  const { agent, session, metadata, options } = request;
  return {
    tenant: caller.tenant,
    calls,
    mode: options?.mode ?? 'sequence',
    ...(options?.concurrency !== undefined && { concurrency: options.concurrency }),
    ...(agent !== undefined && { agent }),
    ...(session !== undefined && { session }),
    ...(responseText !== undefined && { responseText }),
    ...(warnings && { warnings }),
    ...(metadata !== undefined && { metadata }),
    ...(attachments.length > 0 && { attachments }),
    ...(options?.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
    ...(options?.maxResultChars !== undefined && { maxResultChars: options.maxResultChars }),
    ...(caller.trace !== undefined && { trace: caller.trace }),
  };
}
