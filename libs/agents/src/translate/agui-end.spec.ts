import type { Round } from '@errand/contracts';
import { EventSchema } from '@ag-ui/core/schemas';
import { runEnded, runError, runPaused, runStarted, usageOf } from './agui-end.js';

const IDS = { threadId: 'thread', runId: 'run', invocationId: 'inv_turn' };

describe('The begin of a run', () => {
  it('A run begins with the version of the protocol and the id of its turn', () => {
    expect(runStarted({ ...IDS, parentRunId: 'parent' })).toEqual({
      type: 'RUN_STARTED',
      threadId: 'thread',
      runId: 'run',
      parentRunId: 'parent',
      protocolVersion: '1.0',
      metadata: { errand: { invocationId: 'inv_turn' } },
    });
  });

  it('A run without a turn names none', () => {
    expect(runStarted({ threadId: 'thread', runId: 'run' })).not.toHaveProperty('metadata');
  });
});

describe('The end of a run', () => {
  const ended = {
    type: 'RUN_FINISHED',
    threadId: 'thread',
    runId: 'run',
    metadata: { errand: { invocationId: 'inv_turn' } },
  };

  it('A turn that has succeeded gives its result and the usage of the run', () => {
    const usage = [{ inputTokens: 3, outputTokens: 4 }];
    expect(runEnded(IDS, { status: 'succeeded', result: 'Done', error: null }, usage)).toEqual({
      ...ended,
      result: 'Done',
      outcome: { type: 'success' },
      usage,
    });
  });

  it('A null result is absent, because AG-UI has no null there', () => {
    expect(runEnded(IDS, { status: 'succeeded', result: null, error: null }, [])).not.toHaveProperty('result');
  });

  it('A turn that was cancelled ends its run as cancelled', () => {
    const error = { type: 'CancelledError' as const, message: 'stop' };
    expect(runEnded(IDS, { status: 'cancelled', result: null, error }, [])).toEqual({
      ...ended,
      outcome: { type: 'cancelled' },
    });
  });

  it('A turn that has failed is an error of the run, by the type of its error', () => {
    const error = { type: 'ResourceLimitError' as const, message: 'too many rounds' };
    expect(runEnded(IDS, { status: 'failed', result: null, error }, [{ inputTokens: 1 }])).toEqual({
      type: 'RUN_ERROR',
      message: 'too many rounds',
      code: 'ResourceLimitError',
      usage: [{ inputTokens: 1 }],
    });
  });

  it('A refused run is an error with the code of the refusal', () => {
    expect(runError({ code: 'conflict', message: 'other input' })).toEqual({
      type: 'RUN_ERROR',
      code: 'conflict',
      message: 'other input',
    });
  });

  it('A run that waits for client tools succeeds and names their calls', () => {
    expect(runPaused(IDS, { pending: ['c1', 'c2'], open: [], waits: [] }, [])).toEqual({
      ...ended,
      outcome: { type: 'success', pendingToolCallIds: ['c1', 'c2'] },
    });
  });

  it('A run that leaves calls of an earlier run open names them in its metadata', () => {
    expect(runPaused(IDS, { pending: [], open: ['c2'], waits: [] }, [])).toEqual({
      ...ended,
      outcome: { type: 'success' },
      metadata: { errand: { invocationId: 'inv_turn', openToolCallIds: ['c2'] } },
    });
  });

  it('Any other wait for an answer is an interrupt', () => {
    const schema = { type: 'object' };
    const until = '2030-01-01T00:00:00.000Z';
    const waits = [
      { id: 'inv_child/0', waiting: { prompt: 'Really?', schema, until }, callId: 'c1' },
      { id: 'inv_child/1/ask', waiting: { prompt: { text: 'x' }, schema: true, until: null } },
    ];
    const paused = runPaused(IDS, { pending: [], open: ['c9'], waits }, []);
    expect(paused).toMatchObject({
      outcome: {
        type: 'interrupt',
        interrupts: [
          {
            id: 'inv_child/0',
            reason: 'answer',
            message: 'Really?',
            toolCallId: 'c1',
            responseSchema: schema,
            expiresAt: until,
          },
          { id: 'inv_child/1/ask', reason: 'answer', message: '{"text":"x"}' },
        ],
      },
      metadata: { errand: { openToolCallIds: ['c9'] } },
    });
    expect(EventSchema.parse(paused)).toEqual(paused);
  });
});

describe('The usage of a run', () => {
  const rounds: Pick<Round, 'index' | 'usage'>[] = [
    { index: 0, usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 } },
    { index: 1, usage: { prompt_tokens: 20, completion_tokens: 3, total_tokens: 23, other: 1 } },
    { index: 2, usage: { input_tokens: 5, output_tokens: -1 } },
    { index: 3 },
  ];

  it('The usage sums the rounds that began in the run, under the names of AG-UI', () => {
    expect(usageOf(rounds, new Set([0, 1]))).toEqual([{ inputTokens: 30, outputTokens: 5, totalTokens: 35 }]);
  });

  it('A run behind an answer does not report the rounds before it', () => {
    expect(usageOf(rounds, new Set([2]))).toEqual([{ inputTokens: 5 }]);
  });

  it('A model that reports no usage gives none', () => {
    expect(usageOf(rounds, new Set([3]))).toEqual([]);
  });
});
