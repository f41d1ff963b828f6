import { BulkActions, Queues } from '@errand/queue';
import type { Provider } from '@nestjs/common';
import { BulkRunner } from './bulk-runner.js';
import { BulkWork } from './bulk-work.js';

/** The bulk actions, and the work on them in this process. */
export const BULK_PROVIDERS: Provider[] = [
  { provide: BulkActions, inject: [Queues], useFactory: (queues: Queues) => new BulkActions(queues) },
  BulkWork,
  BulkRunner,
];
