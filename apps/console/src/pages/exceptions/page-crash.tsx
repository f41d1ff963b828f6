import { messageOf } from '../../api/problems.js';
import { Page } from '../../parts/page.js';
import { HostileText } from '../../text/hostile-text.js';

/** In place of a page that failed. */
export function PageCrash({ error }: { error: unknown }) {
  return (
    <Page page="crash" title="This page failed" state="error">
      <div class="notice notice-bad" role="alert" data-testid="crash">
        <p class="notice-title">An error in the console stopped this page. Nothing on the server has changed.</p>
        <p class="notice-text">
          <HostileText text={messageOf(error)} />
        </p>
        <button type="button" class="button" onClick={() => location.reload()}>
          Reload the page
        </button>
      </div>
    </Page>
  );
}
