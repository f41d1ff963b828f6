import type { ComponentType } from 'preact';
import { lazy } from 'preact-iso';
import { wasReloaded } from './load-chunk.js';
import { MissingChunk } from './pages/exceptions/missing-chunk.js';
import { PageCrash } from './pages/exceptions/page-crash.js';

/** The parameters of a page: the segments of its path that begin with `:`. Pages without them get an empty text. */
export interface PageProps {
  id: string;
}

type LoadedModule = { default: ComponentType<PageProps> };

/** A page in a chunk of its own. If the chunk is missing after a reload, too, the page shows why. */
export function lazyPage(load: () => Promise<LoadedModule>): ComponentType<PageProps> {
  return lazy(() => load().catch((error: unknown): LoadedModule => ({ default: () => <InPlace error={error} /> })));
}

function InPlace({ error }: { error: unknown }) {
  return wasReloaded(error) ? <PageCrash error={error} /> : <MissingChunk error={error} />;
}
