import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { wasReloaded } from './load-chunk.js';
import { MissingChunk } from './pages/exceptions/missing-chunk.js';
import { PageCrash } from './pages/exceptions/page-crash.js';
import { LoadingRows } from './parts/notices.js';
import { Page } from './parts/page.js';

/** What a page gets. */
export interface PageProps {
  /** The segment of its path that begins with `:`. Pages without one get an empty text. */
  id: string;
  /** As in the table of routes. */
  page: string;
  title: string;
}

type LoadedModule = { default: ComponentType<PageProps> };

/**
 * A page in a chunk of its own. Until the chunk is there, the page has its main part and its title. If the chunk is missing after a reload,
 * too, the page shows why.
 */
export function lazyPage(load: () => Promise<LoadedModule>): ComponentType<PageProps> {
  let loading: Promise<unknown> | undefined;
  let Loaded: ComponentType<PageProps> | undefined;
  const loadOnce = () =>
    (loading ??= load()
      .catch((error: unknown): LoadedModule => ({ default: () => <InPlace error={error} /> }))
      .then((module) => (Loaded = module.default)));
  return function LazyPage(props) {
    const [, setLoaded] = useState(Loaded !== undefined);
    useEffect(() => {
      if (!Loaded) void loadOnce().then(() => setLoaded(true));
    }, []);
    if (Loaded) return <Loaded {...props} />;
    return (
      <Page page={props.page} title={props.title} state="loading">
        <LoadingRows />
      </Page>
    );
  };
}

function InPlace({ error }: { error: unknown }) {
  return wasReloaded(error) ? <PageCrash error={error} /> : <MissingChunk error={error} />;
}
