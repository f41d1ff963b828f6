import type { Feature } from '@errand/contracts';
import type { ComponentType } from 'preact';
import { lazyPage, type PageProps } from './lazy-page.js';

export interface PageRoute {
  path: string;
  /** `data-page` of the page. */
  page: string;
  title: string;
  /** The group in the navigation. A page without one has a link elsewhere. */
  group?: 'Work' | 'Agents' | 'System';
  /** After `g`, this key opens the page. */
  key?: string;
  /** The page belongs to a part that a server may lack. */
  feature?: Feature;
  /** Undefined for a part that this version of Errand does not have. */
  component?: ComponentType<PageProps>;
}

/** Every page of the console, in the order of the navigation. The folder of a page has the name of its first segment. */
export const ROUTES: readonly PageRoute[] = [
  {
    path: '/console',
    page: 'overview',
    title: 'Overview',
    group: 'Work',
    key: 'o',
    component: lazyPage(() => import('./pages/overview/overview-page.js')),
  },
  {
    path: '/console/invocations',
    page: 'invocations',
    title: 'Invocations',
    group: 'Work',
    key: 'i',
    component: lazyPage(() => import('./pages/invocations/invocations-page.js')),
  },
  {
    path: '/console/invocations/:id',
    page: 'invocation',
    title: 'Invocation',
    component: lazyPage(() => import('./pages/invocation/invocation-page.js')),
  },
  {
    path: '/console/inbox',
    page: 'inbox',
    title: 'Inbox',
    group: 'Work',
    key: 'n',
    component: lazyPage(() => import('./pages/inbox/inbox-page.js')),
  },
  {
    path: '/console/sessions/:id',
    page: 'session',
    title: 'Session',
    component: lazyPage(() => import('./pages/sessions/session-page.js')),
  },
  {
    path: '/console/tools',
    page: 'tools',
    title: 'Tools',
    group: 'Agents',
    component: lazyPage(() => import('./pages/tools/tools-page.js')),
  },
  {
    path: '/console/tools/:id',
    page: 'tool',
    title: 'Tool',
    component: lazyPage(() => import('./pages/tools/tool-page.js')),
  },
  {
    path: '/console/try',
    page: 'try',
    title: 'Try',
    group: 'Agents',
    key: 't',
    component: lazyPage(() => import('./pages/try/try-page.js')),
  },
  {
    path: '/console/refusals',
    page: 'refusals',
    title: 'Refusals',
    group: 'Agents',
    key: 'r',
    component: lazyPage(() => import('./pages/refusals/refusals-page.js')),
  },
  {
    path: '/console/refusals/:id',
    page: 'refusal',
    title: 'Refusal',
    component: lazyPage(() => import('./pages/refusals/refusal-page.js')),
  },
  {
    path: '/console/effects',
    page: 'effects',
    title: 'Effects',
    group: 'Agents',
    component: lazyPage(() => import('./pages/effects/effects-page.js')),
  },
  {
    path: '/console/queues',
    page: 'queues',
    title: 'Queues',
    group: 'System',
    key: 'q',
    component: lazyPage(() => import('./pages/queues/queues-page.js')),
  },
  {
    path: '/console/queues/:id',
    page: 'queue',
    title: 'Queue',
    component: lazyPage(() => import('./pages/queues/queue-page.js')),
  },
  {
    path: '/console/processes',
    page: 'processes',
    title: 'Processes',
    group: 'System',
    key: 'p',
    component: lazyPage(() => import('./pages/processes/processes-page.js')),
  },
  {
    path: '/console/deliveries',
    page: 'deliveries',
    title: 'Deliveries',
    group: 'System',
    component: lazyPage(() => import('./pages/deliveries/deliveries-page.js')),
  },
  {
    path: '/console/bulk',
    page: 'bulk',
    title: 'Bulk actions',
    group: 'System',
    component: lazyPage(() => import('./pages/bulk/bulk-page.js')),
  },
  {
    path: '/console/sandbox',
    page: 'sandbox',
    title: 'Sandbox',
    group: 'System',
    component: lazyPage(() => import('./pages/sandbox/sandbox-page.js')),
  },
  { path: '/console/audit', page: 'audit', title: 'Audit', feature: 'audit' },
  { path: '/console/schedules', page: 'schedules', title: 'Schedules', feature: 'schedules' },
  { path: '/console/keys', page: 'keys', title: 'Keys', feature: 'keys' },
  { path: '/console/tenants', page: 'tenants', title: 'Tenants', feature: 'tenants' },
  { path: '/console/flow', page: 'flow', title: 'Flow rules', feature: 'flow' },
  { path: '/console/usage', page: 'usage', title: 'Usage', feature: 'usage' },
  { path: '/console/waits', page: 'waits', title: 'Waits', feature: 'waits' },
];

/** Whether a server with these features has the page. */
export function isPresent(route: PageRoute, features: readonly Feature[]): boolean {
  return route.component !== undefined && (route.feature === undefined || features.includes(route.feature));
}
