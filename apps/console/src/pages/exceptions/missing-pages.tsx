import { useLocation } from 'preact-iso';
import { Page } from '../../parts/page.js';
import { HostileText } from '../../text/hostile-text.js';

/** An address that the console does not have. */
export function NotFoundPage() {
  const { path } = useLocation();
  return (
    <Page page="not-found" title="Not found" state="error">
      <NotFoundNotice what={`The console has no page ${path}`} />
    </Page>
  );
}

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

/** A page of a part that this server does not have. */
export function UnavailablePage({ route }: { route: { page: string; title: string } }) {
  return (
    <Page page={route.page} title={route.title} state="empty">
      <div class="notice" data-testid="unavailable">
        <p class="notice-title">This server does not have the part “{route.title}”.</p>
        <p class="notice-text">
          A later version of Errand may have it. The other pages work; start at the <a href="/console/">overview</a>.
        </p>
      </div>
    </Page>
  );
}
