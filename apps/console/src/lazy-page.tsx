import type { ComponentType } from 'preact';
import { lazy } from 'preact-iso';
import { PageCrash } from './pages/exceptions/page-crash.js';

/** The address that was reloaded because one of its files was missing. */
const RELOADED = 'errand-reloaded';

/** The parameters of a page: the segments of its path that begin with `:`. Pages without them get an empty text. */
export interface PageProps {
  id: string;
}

type LoadedModule = { default: ComponentType<PageProps> };

/**
 * A page in a chunk of its own. After an upgrade the server does not have the chunks of an older page any more: the page then reloads
 * itself once and keeps its address. If the chunk is still missing, it shows why.
 */
export function lazyPage(load: () => Promise<LoadedModule>): ComponentType<PageProps> {
  return lazy(() =>
    load().then(
      (module) => {
        sessionStorage.removeItem(RELOADED);
        return module;
      },
      (error: unknown) => reloadOnce(error),
    ),
  );
}

function reloadOnce(error: unknown): Promise<LoadedModule> | LoadedModule {
  if (sessionStorage.getItem(RELOADED) === location.href) return { default: () => <PageCrash error={error} /> };
  sessionStorage.setItem(RELOADED, location.href);
  location.reload();
  return new Promise(() => undefined);
}
