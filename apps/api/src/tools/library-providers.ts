import { checkWorkflow } from '@errand/engine';
import { aliasOf, escapeForeignText } from '@errand/protocol';
import { NotificationHub, Queues, RemoteListCache, RemoteLists } from '@errand/queue';
import { Registry, WatchedRegistry, watchRegistry } from '@errand/registry';
import type { Provider } from '@nestjs/common';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { ApiConfiguration, ApiLogger } from '../api-tokens.js';

/** The built-in plugin, beside the apps in the sources and in dist/ alike. */
const CORE = join(__dirname, '../../../../plugins/core');

/** Emits `reload` when the files of the library have changed. */
export class LibraryReloads extends EventEmitter<{ reload: [] }> {}

/** The registry of all tools, which follows the files of the library. */
export const LIBRARY_PROVIDERS: Provider[] = [
  { provide: LibraryReloads, useFactory: () => new LibraryReloads() },
  {
    provide: RemoteListCache,
    inject: [Queues, NotificationHub],
    useFactory: (queues: Queues, notifications: NotificationHub) =>
      new RemoteListCache(new RemoteLists(queues), notifications),
  },
  {
    provide: WatchedRegistry,
    inject: [ApiConfiguration, ApiLogger, LibraryReloads, RemoteListCache],
    useFactory: watchLibrary,
  },
  { provide: Registry, inject: [WatchedRegistry], useFactory: ({ registry }: WatchedRegistry) => registry },
];

function watchLibrary(
  settings: ApiConfiguration,
  logger: ApiLogger,
  reloads: LibraryReloads,
  remoteLists: RemoteListCache,
) {
  return watchRegistry({
    folders: settings.ERRAND_LIBRARY,
    coreDir: CORE,
    checkWorkflow,
    aliasOf,
    escapeText: escapeForeignText,
    remoteLists,
    onReload: ({ length }) => {
      logger.info({ problems: length }, 'the library has changed');
      reloads.emit('reload');
    },
    onNotice: (message) => logger.warn(message),
  });
}
