import type { Invocation, Json, Step } from '@errand/contracts';
import { MAX_BODY_CHARS, messageBody } from './message-body.js';

const TIME = '2026-01-02T03:04:05.000Z';

function step(over: Partial<Step> = {}): Step {
  return {
    index: 0,
    toolId: 'a:b',
    version: '1.0.0',
    arguments: { q: 1 },
    status: 'succeeded',
    result: 'short',
    startedAt: TIME,
    finishedAt: TIME,
    attempts: 1,
    ...over,
  };
}

function invocation(steps: Step[], over: Partial<Invocation> = {}): Invocation {
  return {
    id: 'inv_1',
    status: 'succeeded',
    createdAt: TIME,
    startedAt: TIME,
    finishedAt: TIME,
    agent: null,
    session: null,
    responseText: null,
    metadata: null,
    calls: steps,
    steps,
    result: steps[0]?.result ?? null,
    error: null,
    observation: 'Observation: …',
    progress: 1,
    links: { result: '/v1/invocations/inv_1/result' },
    ...over,
  };
}

const long = (chars: number): Json => 'x'.repeat(chars);
const read = (whole: Invocation) => {
  const body = messageBody(whole);
  expect(body.length).toBeLessThanOrEqual(MAX_BODY_CHARS);
  return JSON.parse(body) as { type: string; timestamp: string; data: Invocation & { truncated?: true } };
};

describe('The body of a message', () => {
  it('The body has the whole invocation with the type and time of its end', () => {
    const whole = invocation([step()]);
    expect(read(whole)).toEqual({ type: 'invocation.succeeded', timestamp: TIME, data: whole });
    expect(read(invocation([step()], { status: 'cancelled' })).type).toBe('invocation.cancelled');
  });

  it('A body that is too long loses its nodes first', () => {
    const nodes = [
      { nodeId: 'n', type: 't', status: 'succeeded', result: long(300_000), startedAt: TIME, finishedAt: TIME },
    ];
    const { data } = read(invocation([step({ nodes: nodes as Step['nodes'] & object })]));
    expect(data).toMatchObject({ truncated: true, result: 'short' });
    expect(data.steps).toEqual([step()]);
  });

  it('A body that is too long then loses long values and keeps short ones', () => {
    const steps = [step({ result: long(300_000) }), step({ index: 1, arguments: { q: long(5_000) } })];
    const { data } = read(invocation(steps, { observation: 'x'.repeat(9_000) }));
    expect(data).toMatchObject({
      truncated: true,
      result: null,
      resultTruncated: true,
      observation: null,
      links: { result: expect.any(String) },
    });
    expect(data.steps).toEqual([
      step({ result: 'x'.repeat(4_096), resultTruncated: { total: 300_000 } }),
      step({ index: 1, arguments: {} }),
    ]);
  });

  it('A cut value has no half characters and keeps the total length of an earlier cut', () => {
    const total = 1_000_000;
    const steps = [step({ result: `x${'🎈'.repeat(200_000)}`, resultTruncated: { total } })];
    const { data } = read(invocation(steps));
    expect(data.steps[0]).toMatchObject({ result: `x${'🎈'.repeat(2_047)}`, resultTruncated: { total } });
  });

  it('A body that is too long then loses its steps', () => {
    const { data } = read(
      invocation(Array.from({ length: 1_000 }, (_, index) => step({ index, result: long(1_000) }))),
    );
    expect(data).toMatchObject({ truncated: true, steps: [], calls: [], id: 'inv_1' });
  });

  it('The body is short when other fields are long', () => {
    const artifact = { name: 'a.txt', size: 1, contentType: 'text/plain', sha256: 'x'.repeat(64), step: 0 };
    const artifacts = Array.from({ length: 3_000 }, () => artifact);
    const { data } = read(invocation([step()], { artifacts, session: 'short' }));
    expect(data).toMatchObject({ truncated: true, artifacts: null, session: 'short', result: 'short' });
  });

  it('The body of a failed invocation is short and keeps the error type', () => {
    const error = { type: 'ScriptError' as const, message: 'x'.repeat(500_000), details: { stderr: long(500_000) } };
    const failed = step({ status: 'failed', error });
    const { data } = read(
      invocation([failed], { status: 'failed', error, warnings: [], metadata: { a: long(9_000) } }),
    );
    expect(data.error).toEqual({ type: 'ScriptError', message: 'x'.repeat(4_096) });
    expect(data.steps[0]!.error).toEqual(data.error);
  });
});
