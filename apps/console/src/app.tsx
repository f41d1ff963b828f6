import type { ComponentType } from 'preact';
import { LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { useEffect } from 'preact/hooks';
import { findCaller, startProblem, whoami } from './api/session.js';
import { CrashGuard } from './pages/exceptions/crash-guard.js';
import { NotFoundPage, UnavailablePage } from './pages/exceptions/missing-pages.js';
import { LoginPage } from './pages/login/login-page.js';
import { ErrorNotice } from './parts/notices.js';
import { Page } from './parts/page.js';
import type { PageProps } from './lazy-page.js';
import { isPresent, ROUTES, type PageRoute } from './routes.js';
import { keepFocus } from './shell/keep-focus.js';
import { useTenantInAddress } from './shell/keep-tenant.js';
import { Shell } from './shell/shell.js';
import { ToastList } from './shell/toast-list.js';

export function App() {
  useEffect(() => void findCaller(), []);
  useEffect(() => keepFocus(), []);
  return (
    <LocationProvider scope="/console">
      <Gate />
      <ToastList />
    </LocationProvider>
  );
}

/** A page needs to know its caller. Without a login session, every address shows the login, and keeps its URL. */
function Gate() {
  const { url } = useLocation();
  const caller = whoami.value;
  if (caller === null) return <LoginPage />;
  if (caller === undefined && startProblem.value === undefined) return <Starting />;
  if (caller === undefined) return <AwayAtStart error={startProblem.value} />;
  return (
    <CrashGuard url={url}>
      <Shell>
        <Pages />
      </Shell>
    </CrashGuard>
  );
}

function Pages() {
  const { path, url } = useLocation();
  useTenantInAddress();
  if (!isDecodable(path)) return <NotFoundPage />;
  return (
    <CrashGuard key={path} url={url}>
      <Router>
        {ROUTES.map((route) => (
          <Route
            key={route.path}
            path={route.path}
            page={route.page}
            title={route.title}
            component={componentOf(route)}
          />
        ))}
        <Route default component={NotFoundPage} />
      </Router>
    </CrashGuard>
  );
}

function componentOf(route: PageRoute): ComponentType<PageProps> {
  const isThere = isPresent(route, whoami.value?.features ?? []);
  return (isThere && route.component) || UnavailablePage;
}

function Starting() {
  return <main id="main" data-testid="main" data-page="start" data-state="loading" aria-busy="true" />;
}

const RETRY_MS = 2_000;

function AwayAtStart({ error }: { error: unknown }) {
  useEffect(() => {
    const timer = setInterval(() => void findCaller(), RETRY_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <Page page="start" title="Errand" state="error">
      <ErrorNotice error={error} onRetry={() => void findCaller()} />
    </Page>
  );
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
