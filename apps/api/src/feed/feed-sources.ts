import type { ShownProcess } from '@errand/contracts';
import { listProcesses, queueNames, Queues, readQueue } from '@errand/queue';
import { WatchedRegistry } from '@errand/registry';
import { Injectable } from '@nestjs/common';
import { ApiConfiguration } from '../api-tokens.js';
import { LibraryReloads } from '../tools/library-providers.js';
import { problemsInReach } from '../tools/problems-in-reach.js';
import { FeedSources, type FeedSource } from './feed-source.js';
import { pollItems } from './poll-items.js';

/** The most problems of one event. `GET /v1/tools/problems` has all. */
const MOST_PROBLEMS = 100;

/** The sources that this server has. Changes of invocations, the inbox and the log of the feed need none. */
@Injectable()
export class ServerFeedSources extends FeedSources {
  readonly all: readonly FeedSource[];

  constructor(queues: Queues, library: WatchedRegistry, reloads: LibraryReloads, settings: ApiConfiguration) {
    super();
    const { ERRAND_LIBRARY: folders } = settings;
    this.all = [queueSource(queues), processSource(queues), librarySource(library, reloads, folders)];
  }
}

function queueSource(queues: Queues): FeedSource {
  return {
    topic: 'queues',
    subscribe: ({ reach }, emit) => {
      const read = async () => Promise.all((await queueNames(queues)).map((name) => readQueue(queues, name, reach)));
      return pollItems(
        read,
        ({ name }) => name,
        (queue) => emit('queue', queue),
      );
    },
  };
}

function processSource(queues: Queues): FeedSource {
  return {
    topic: 'processes',
    subscribe: ({ reach }, emit) =>
      pollItems(
        async () => (await listProcesses(queues, reach)).items,
        ({ id }) => id,
        (process) => emit('process', process),
        { partOf: coarse, onGone: (process) => emit('process', { ...process, inHand: [], ended: true }) },
      ),
  };
}

/** A process without what changes with every heartbeat: half a core more counts, a thousandth does not. */
function coarse({ lastSeenAt: _, load, ...rest }: ShownProcess): unknown {
  const { cpu, rssMb, eventLoopLagMs } = load;
  return { ...rest, load: [Math.round(cpu * 2), Math.round(rssMb / 50), Math.round(eventLoopLagMs / 100)] };
}

function librarySource({ registry }: WatchedRegistry, reloads: LibraryReloads, folders: readonly string[]): FeedSource {
  return {
    topic: 'library',
    subscribe: (scope, emit) => {
      const tell = () =>
        emit('library', {
          problems: [...problemsInReach(registry.problems().slice(0, MOST_PROBLEMS), folders, scope)],
        });
      reloads.on('reload', tell);
      return () => reloads.off('reload', tell);
    },
  };
}
