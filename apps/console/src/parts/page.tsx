import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { isStale } from '../live/live-state.js';

/** What a page shows of its data: see `data-state` in the documentation of the console. */
export type PageState = 'loading' | 'ready' | 'empty' | 'error';

interface Props {
  /** `data-page`: the name of the page in the table of routes. */
  page: string;
  title: string;
  state: PageState;
  /** Beside the title, to the right: the actions of the page. */
  actions?: ComponentChildren;
  /** Below the title. */
  subtitle?: ComponentChildren;
  children: ComponentChildren;
}

/** The main part of a page with its one heading. */
export function Page({ page, title, state, actions, subtitle, children }: Props) {
  useEffect(() => {
    document.title = page === 'overview' ? 'Errand' : `${title} · Errand`;
  }, [page, title]);
  const shown = isStale.value && (state === 'ready' || state === 'empty') ? 'stale' : state;
  return (
    <main
      id="main"
      tabIndex={-1}
      data-testid="main"
      data-page={page}
      data-state={shown}
      aria-busy={state === 'loading'}
    >
      <header class="page-head">
        <div class="page-heading">
          <h1 data-testid="page-title">{title}</h1>
          {subtitle !== undefined && <div class="subtitle">{subtitle}</div>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </main>
  );
}
