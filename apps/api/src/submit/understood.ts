import type { Call, LocatedWarning, MessageForm } from '@errand/contracts';

/** The calls of a request. A text without a block has none. */
export interface Understood {
  calls: Call[];
  /** For the message of a model API: its form, and the id of each call. */
  native?: { form: MessageForm; callIds: string[] };
  responseText?: string;
  /** The format of a text. */
  protocol?: string;
  warnings?: LocatedWarning[];
}
