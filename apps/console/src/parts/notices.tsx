import type { PartialAnswer } from '@errand/contracts';
import type { ComponentChildren } from 'preact';
import { messageOf, RefusedRequest, ServerAway } from '../api/problems.js';
import { HostileText } from '../text/hostile-text.js';

/** The most missing shards that are named. */
const MOST_SHARDS = 8;

/** Explains an empty list, and says what to do next. */
export function EmptyNotice({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="notice" data-testid="empty">
      <p class="notice-title">{title}</p>
      {children !== undefined && <div class="notice-text">{children}</div>}
    </div>
  );
}

/** Explains a failed request, and offers to repeat it. */
export function ErrorNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div class="notice notice-bad" role="alert" data-testid="error">
      <p class="notice-title">{titleOf(error)}</p>
      <p class="notice-text">
        <HostileText text={messageOf(error)} />
      </p>
      {onRetry && (
        <button type="button" class="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

function titleOf(error: unknown): string {
  if (error instanceof ServerAway) return 'The server is away';
  if (error instanceof RefusedRequest && error.status === 403) return 'You may not see this';
  return 'This could not be read';
}

/** Grey lines in place of rows that are being read. Screen readers hear `aria-busy` of the page. */
export function LoadingRows({ count = 6 }: { count?: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: count }, (_, index) => (
        <div key={index} class="skeleton-row" />
      ))}
    </div>
  );
}

/** Says which shards did not answer, so that the answer lacks what they hold. */
export function PartialNotice({ answer }: { answer: PartialAnswer | undefined }) {
  if (!answer?.partial) return null;
  const { missingShards = [] } = answer;
  const names = missingShards.slice(0, MOST_SHARDS).join(', ');
  const more = missingShards.length > MOST_SHARDS ? ` and ${missingShards.length - MOST_SHARDS} more` : '';
  return (
    <p class="notice-line" role="status" data-testid="partial">
      A part of Redis is away, so this is incomplete.
      {missingShards.length > 0 && ` Missing: ${missingShards.length === 1 ? 'shard' : 'shards'} ${names}${more}.`}
    </p>
  );
}
