import type { Invocation } from '@errand/contracts';
import { answerInvocation } from '@errand/protocol';
import type { StoredInvocation } from '@errand/queue';

/** An invocation as it is answered over HTTP; what it was accepted as (`record`) stays here. */
export class AnswerInvocation {
  of({ record, ...stored }: StoredInvocation): Invocation {
    return answerInvocation(stored, record.maxResultChars);
  }
}
