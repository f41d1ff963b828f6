import { HostileText } from '../text/hostile-text.js';

/** Says that a thing does not exist, and what to try. */
export function NotFoundNotice({ what }: { what: string }) {
  return (
    <div class="notice" data-testid="not-found">
      <p class="notice-title">
        <HostileText text={what} />
      </p>
      <p class="notice-text">
        Look at the address for a letter too many or too few, search with <kbd>Ctrl K</kbd>, or start at the{' '}
        <a href="/console/">overview</a>. What has ended is removed after its retention.
      </p>
    </div>
  );
}
