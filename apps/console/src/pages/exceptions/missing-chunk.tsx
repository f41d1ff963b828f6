import { useEffect } from 'preact/hooks';
import { ServerAway } from '../../api/problems.js';
import { reloadOnce } from '../../load-chunk.js';
import { ErrorNotice } from '../../parts/notices.js';
import { Page } from '../../parts/page.js';

/** In place of a page whose file did not come. It loads itself again as soon as the server answers. */
export function MissingChunk({ error }: { error: unknown }) {
  useEffect(() => {
    const ended = new AbortController();
    void reloadOnce(error, ended.signal);
    return () => ended.abort();
  }, [error]);
  return (
    <Page page="start" title="Errand" state="error">
      <ErrorNotice error={new ServerAway()} onRetry={() => location.reload()} />
    </Page>
  );
}
