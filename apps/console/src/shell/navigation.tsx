import { useLocation } from 'preact-iso';
import { features } from '../api/session.js';
import { isPresent, ROUTES, type PageRoute } from '../routes.js';

const GROUPS = ['Work', 'Agents', 'System'] as const;

/** The links to all pages that this server has. */
export function Navigation() {
  const { path } = useLocation();
  const shown = ROUTES.filter((route) => isPresent(route, features()));
  return (
    <nav aria-label="Main" class="nav" data-testid="nav">
      {GROUPS.filter((group) => shown.some((route) => route.group === group)).map((group) => (
        <div key={group} class="nav-group">
          {group !== 'Work' && <p class="nav-title">{group}</p>}
          <ul>
            {shown
              .filter((route) => route.group === group)
              .map((route) => (
                <li key={route.path}>
                  <a
                    href={route.path === '/console' ? '/console/' : route.path}
                    aria-current={isCurrent(route, path) ? 'page' : undefined}
                  >
                    {route.title}
                  </a>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function isCurrent(route: PageRoute, path: string): boolean {
  return path === route.path || (route.path !== '/console' && path.startsWith(`${route.path}/`));
}
