import type { DryRunOutcome } from '@errand/contracts';
import { useEffect, useState } from 'preact/hooks';
import { send } from '../../api/call-api.js';
import type { ParsedText } from '../../source/use-parsed.js';

/** A text as it is submitted. */
export interface TextRequest {
  text: string;
  agent: string;
  protocol: string;
}

/** What a text would run. Both are undefined while that is not known. */
export interface DryRun {
  outcome?: DryRunOutcome;
  error?: unknown;
}

function bodyOf({ text, agent, protocol }: TextRequest) {
  return { text, ...(agent !== '' && { agent }), ...(protocol !== '' && { protocol }) };
}

/** Asks what a text would run, once it is parsed without an error. */
export function useDryRun(request: TextRequest, parsed: ParsedText | undefined): DryRun {
  const [held, setHeld] = useState<DryRun & { of?: ParsedText }>({});
  const isReady = parsed !== undefined && parsed.errors.length === 0 && parsed.calls.length > 0;
  useEffect(() => {
    if (!isReady) return undefined;
    const left = new AbortController();
    const options = { query: { dryRun: true }, body: bodyOf(request), signal: left.signal };
    send<DryRunOutcome>('POST', '/v1/invocations', options).then(
      (outcome) => left.signal.aborted || setHeld({ outcome, of: parsed }),
      (error: unknown) => left.signal.aborted || setHeld({ error, of: parsed }),
    );
    return () => left.abort();
  }, [parsed]);
  return isReady && held.of === parsed ? held : {};
}

/** Submits a text. @returns the id of the invocation @throws RefusedRequest */
export async function submitText(request: TextRequest): Promise<string> {
  const { id } = await send<{ id: string }>('POST', '/v1/invocations', { body: bodyOf(request) });
  return id;
}
