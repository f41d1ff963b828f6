import { randomBytes } from 'node:crypto';
import type { ProcessKind } from '@errand/contracts';

const ID_BYTES = 6;

/** The name of a process in `GET /v1/processes`, new at each start. The names of its consumers begin with it. */
export class OwnProcess {
  readonly id: string;

  constructor(readonly kind: ProcessKind) {
    this.id = `${kind}-${randomBytes(ID_BYTES).toString('hex')}`;
  }
}
