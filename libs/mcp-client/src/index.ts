export { RemoteServers } from './remote-servers.js';
export { RemoteError } from './connect/remote-error.js';
export type { Mask, RemoteOptions } from './connect/remote-options.js';
export type { ListReceiver } from './list/follow-server.js';
export type { ListedTools } from './list/list-remote-tools.js';
export type { CallOutcome, RemoteCall } from './call/call-tool.js';
export type { CallListener } from './call/call-reports.js';
export type { InputRequest, InputResponses } from './call/input-requests.js';
export type { RemoteTask, TaskState } from './call/tasks.js';
