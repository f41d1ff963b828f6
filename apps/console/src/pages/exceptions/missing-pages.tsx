import { useLocation } from 'preact-iso';
import { NotFoundNotice } from '../../parts/not-found-notice.js';
import { Page } from '../../parts/page.js';

/** An address that the console does not have. */
export function NotFoundPage() {
  const { path } = useLocation();
  return (
    <Page page="not-found" title="Not found" state="error">
      <NotFoundNotice what={`The console has no page ${path}`} />
    </Page>
  );
}

/** A page of a part that this server does not have. */
export function UnavailablePage({ page, title }: { page: string; title: string }) {
  return (
    <Page page={page} title={title} state="empty">
      <div class="notice" data-testid="unavailable">
        <p class="notice-title">This server does not have the part “{title}”.</p>
        <p class="notice-text">
          A later version of Errand may have it. The other pages work; start at the <a href="/console/">overview</a>.
        </p>
      </div>
    </Page>
  );
}
