import { isInvocationId, type InvocationSource, type Round } from '@errand/contracts';
import { parse } from '@errand/protocol';
import { MOST_SOURCE_BYTES, Queues, readInvocation, readSource, type StoredInvocation } from '@errand/queue';
import { Registry } from '@errand/registry';
import { Injectable } from '@nestjs/common';
import { ApiConfiguration } from '../api-tokens.js';
import { ProblemError } from '../http/problem-error.js';
import { PROTOCOLS } from '../http/submission-requests.js';
import { SecretMask } from './secret-mask.js';

/** A text of a model, and the numbers of its calls that are steps of the invocation. */
interface FoundText {
  text: string;
  protocol?: string;
  /** The number of the step of each call; undefined for a call that runs elsewhere. */
  steps?: (number | undefined)[];
}

/** Reads the text of an invocation, and finds its calls in it. */
@Injectable()
export class ReadSourceText {
  constructor(
    private readonly queues: Queues,
    private readonly registry: Registry,
    private readonly settings: ApiConfiguration,
    private readonly masks: SecretMask,
  ) {}

  /** @throws ProblemError not_found with the reason why there is no text */
  async read(invocation: StoredInvocation): Promise<InvocationSource> {
    const { record, id } = invocation;
    const kept = await readSource(this.queues, id);
    if (kept) return this.locate(invocation, kept);
    const ofRound = record.parentTurn && (await this.ofRound(invocation));
    if (ofRound) return this.locate(invocation, ofRound);
    throw new ProblemError('not_found', this.reason(invocation));
  }

  /** The text is parsed again: places would be the larger part of what is kept. */
  private locate({ record }: StoredInvocation, { text, protocol: known, steps }: FoundText): InvocationSource {
    const tools = this.registry.toolLookup(record.agent);
    const protocolOfText = PROTOCOLS.find((name) => name === known) ?? 'auto';
    const parsed = parse(text, { tools, places: true, protocol: protocolOfText });
    const { protocol, responseText, trailingText, places = [], warnings } = parsed;
    const calls = places.flatMap((place, n) => {
      const index = steps ? steps[n] : n;
      return index === undefined || index >= record.calls.length ? [] : [{ index, ...place }];
    });
    return { text, protocol, responseText, trailingText, calls, warnings: record.warnings ?? warnings };
  }

  /** The text of the round of a turn that made this invocation. The turn has it already. */
  private async ofRound({ record, id }: StoredInvocation): Promise<FoundText | undefined> {
    const { invocationId, step, round: number } = record.parentTurn ?? {};
    if (invocationId === undefined || number === undefined || !isInvocationId(invocationId)) return undefined;
    const turn = await readInvocation(this.queues, record.tenant, invocationId);
    const round = turn?.steps[step ?? 0]?.rounds?.[number];
    if (!round || round.native || round.text.length > MOST_SOURCE_BYTES) return undefined;
    const mask = await this.masks.current();
    return { text: mask.text(round.text), steps: stepsOf(round, id) };
  }

  private reason({ record: { retryOf, messageForm } }: StoredInvocation): string {
    if (retryOf) return `It repairs ${retryOf.invocationId}; ask for the text of that invocation`;
    if (messageForm) return 'It came as the message of a model API, which is JSON and has no text to show';
    if (!this.settings.ERRAND_KEEP_TEXT) return 'Texts are not kept: ERRAND_KEEP_TEXT is false';
    return `No text is kept: the submission came as JSON, or its text had over ${MOST_SOURCE_BYTES / 1_024} KiB`;
  }
}

/** Calls in the background run in invocations of their own, which have one step. */
function stepsOf({ calls, invocationId }: Round, id: string): (number | undefined)[] {
  let next = 0;
  const isOwn = invocationId === id;
  return calls.map(({ background, result }) => {
    if (isOwn) return background ? undefined : next++;
    return background && JSON.stringify(result ?? null).includes(id) ? 0 : undefined;
  });
}
