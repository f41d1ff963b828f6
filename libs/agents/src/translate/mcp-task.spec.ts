import type { ErrorType, Status } from '@errand/contracts';
import { toDetailedTask, toMcpTask, type McpTaskSource } from './mcp-task.js';

const CREATED = '2026-11-20T10:00:00.000Z';
const source = (status: Status, more: Partial<McpTaskSource> = {}): McpTaskSource => ({
  id: 'inv_1',
  status,
  createdAt: CREATED,
  startedAt: null,
  finishedAt: null,
  error: null,
  observation: null,
  ...more,
});
const kept = { retentionMs: 60_000, now: Date.parse(CREATED) + 5_000 };
const failed = (type: ErrorType) =>
  source('failed', { error: { type, message: 'm' }, observation: 'Observation: Error - m' });
const result = { content: [{ type: 'text', text: 'hi' }] };
const inputs = {
  a: {
    method: 'elicitation/create' as const,
    params: { mode: 'form' as const, message: '?', requestedSchema: { type: 'object' as const, properties: {} } },
  },
};

describe('The MCP task of an invocation', () => {
  it.each([
    ['queued', 'working'],
    ['running', 'working'],
    ['waiting_external', 'input_required'],
    ['succeeded', 'completed'],
    ['cancelled', 'cancelled'],
  ] as const)('An invocation that is %s is a task that is %s', (status, expected) => {
    expect(toMcpTask(source(status), kept).status).toBe(expected);
  });

  it('A failed tool is a completed task, and only an unknown outcome is a failed one', () => {
    expect(toMcpTask(failed('NodeError'), kept)).toMatchObject({ status: 'completed', statusMessage: 'm' });
    expect(toMcpTask(failed('LostError'), kept).status).toBe('failed');
  });

  it('The time to live of an open task grows, and that of an ended one ends after the retention', () => {
    expect(toMcpTask(source('running'), kept).ttlMs).toBe(65_000);
    const ended = source('succeeded', { finishedAt: '2026-11-20T10:00:01.000Z' });
    expect(toMcpTask(ended, kept)).toMatchObject({ ttlMs: 61_000, lastUpdatedAt: ended.finishedAt });
  });

  it('A completed task has a result with a type of its own', () => {
    const ended = source('succeeded');
    expect(toDetailedTask(toMcpTask(ended, kept), ended, { result })).toMatchObject({
      status: 'completed',
      result: { resultType: 'complete', ...result },
    });
  });

  it('A failed task has the Observation as its error, and no result', () => {
    const lost = failed('LostError');
    const task = toDetailedTask(toMcpTask(lost, kept), lost, { result });
    expect(task).toMatchObject({ error: { code: -32603, message: 'Observation: Error - m' } });
    expect(task).not.toHaveProperty('result');
  });

  it('An open task with questions asks for input, also while other nodes run', () => {
    const running = source('running');
    expect(toDetailedTask(toMcpTask(running, kept), running, { inputs })).toMatchObject({
      status: 'input_required',
      inputRequests: inputs,
    });
  });

  it('An ended task asks for nothing', () => {
    const ended = source('cancelled');
    expect(toDetailedTask(toMcpTask(ended, kept), ended, { inputs })).toEqual(toMcpTask(ended, kept));
  });
});
