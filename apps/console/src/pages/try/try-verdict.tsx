import { messageOf } from '../../api/problems.js';
import { formatDuration } from '../../parts/format.js';
import type { ParsedText } from '../../source/use-parsed.js';
import { HostileText } from '../../text/hostile-text.js';
import type { DryRun } from './use-dry-run.js';

/** A text that every library can run. */
export const EXAMPLE = `I echo a greeting.

<ACTION>
  <core:echo>
    <value>Hello, world</value>
  </core:echo>
</ACTION>
`;

/** In one line: whether the text would run, and where. */
export function TryVerdict({ text, parsed, dryRun }: { text: string; parsed: ParsedText | undefined; dryRun: DryRun }) {
  return (
    <p class="try-verdict" role="status" data-testid="try-verdict">
      {verdictOf(text, parsed, dryRun)}
    </p>
  );
}

function verdictOf(text: string, parsed: ParsedText | undefined, { outcome, error }: DryRun) {
  if (text.trim() === '') return 'Nothing to read yet.';
  if (!parsed) return 'Reading …';
  const { errors, calls } = parsed;
  if (errors.length > 0) return errors.length === 1 ? 'It has an error.' : `It has ${errors.length} errors.`;
  if (calls.length === 0) return 'It calls nothing: it is a plain answer.';
  if (error !== undefined) return <HostileText text={messageOf(error)} limit={300} />;
  if (!outcome) return 'Checking …';
  const count = calls.length === 1 ? 'One call' : `${calls.length} calls`;
  const eta = outcome.etaMs === null ? 'nobody takes its queue now' : `about ${formatDuration(outcome.etaMs)}`;
  return `${count} would run in the queue ${outcome.queue ?? ''}: ${eta}.`;
}
