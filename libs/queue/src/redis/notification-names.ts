/** The prefix of a notification about the end of a job. */
export const ENDED = 'ended ';

/** The notification that a step or node of the invocation has got an answer. */
export function answersOf(id: string): string {
  return `answers ${id}`;
}

/** The notification that the list of a server has changed. */
export function remoteListOf(digest: string): string {
  return `remote-list ${digest}`;
}

/** The prefix of the notification that a process has listeners of the feed of a tenant. */
export const FEED_OF = 'feed ';

export function feedOf(tenant: string): string {
  return `${FEED_OF}${tenant}`;
}

/** The notification that the operator has requested an attack run of the sandboxes. */
export const SANDBOX_CHECK = 'sandbox-check';

/** The notification that the operator has asked a process to drain. */
export function drainOf(processId: string): string {
  return `drain ${processId}`;
}

/** The notification that the environments which script-runners must prepare have changed. */
export const WANTED_ENVIRONMENTS = 'wanted-environments';

/** The notification that the layout of the shards has changed. */
export const LAYOUT_CHANGED = 'shards';

/** The notification that a login session has ended. */
export function loginEndOf(digest: string): string {
  return `login-end ${digest}`;
}
