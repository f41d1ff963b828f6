import type { ShownProcess, ShownQueue } from '@errand/contracts';
import type { ListPage } from '../parts/list-view.js';
import { read, send } from './call-api.js';

const pathOf = (name: string) => `/v1/queues/${encodeURIComponent(name)}`;

export const readQueues = (signal: AbortSignal): Promise<ListPage<ShownQueue>> => read('/v1/queues', {}, signal);

/** One queue with the jobs that start next. */
export const readQueue = (name: string, signal: AbortSignal): Promise<ShownQueue> => read(pathOf(name), {}, signal);

/** Starts no further job of a queue, until it is resumed. */
export const pauseQueue = (name: string, note: string): Promise<ShownQueue> =>
  send('POST', `${pathOf(name)}/pause`, { body: note === '' ? {} : { note } });

export const resumeQueue = (name: string): Promise<ShownQueue> => send('POST', `${pathOf(name)}/resume`);

export const readProcesses = (signal: AbortSignal): Promise<ListPage<ShownProcess>> =>
  read('/v1/processes', {}, signal);

/** Lets a process end what it has and take nothing new. */
export const drainProcess = (id: string): Promise<ShownProcess> =>
  send('POST', `/v1/processes/${encodeURIComponent(id)}/drain`);
