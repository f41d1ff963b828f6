import { randomUUID } from 'node:crypto';
import type { Server } from '@modelcontextprotocol/server';
import * as z from 'zod';

interface Task {
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  inputRequests?: object;
  result?: object;
  error?: object;
}

const TASK = z.looseObject({ taskId: z.string() });
const ANY = z.looseObject({});

/** The tasks extension of a test server. A test decides what each task does. */
export class RemoteTasks {
  readonly tasks = new Map<string, Task>();
  /** The answers that came, by task. */
  readonly answers: { taskId: string; inputResponses: Record<string, unknown> }[] = [];
  polls = 0;
  pollIntervalMs = 100;

  /** Adds the handlers of tasks to a server. */
  readonly prepare = (server: Server): void => {
    server.registerCapabilities({ extensions: { 'io.modelcontextprotocol/tasks': {} } });
    server.setRequestHandler('tasks/get', { params: TASK, result: ANY }, ({ taskId }) => {
      this.polls += 1;
      return { resultType: 'complete', ...this.stateOf(taskId) };
    });
    server.setRequestHandler('tasks/update', { params: TASK, result: ANY }, ({ taskId }, { mcpReq }) => {
      this.answers.push({ taskId, inputResponses: { ...mcpReq.inputResponses } });
      return { resultType: 'complete' };
    });
    server.setRequestHandler('tasks/cancel', { params: TASK, result: ANY }, ({ taskId }) => {
      this.change(taskId, { status: 'cancelled' });
      return { resultType: 'complete' };
    });
  };

  /** The result of a call that becomes a task. */
  begin(): object {
    const taskId = randomUUID();
    this.tasks.set(taskId, { status: 'working' });
    return { resultType: 'task', ...this.stateOf(taskId) };
  }

  /** The id of the only task. */
  get id(): string {
    return [...this.tasks.keys()].at(-1) ?? 'none';
  }

  change(taskId: string, task: Task): void {
    this.tasks.set(taskId, task);
  }

  private stateOf(taskId: string): object {
    const now = new Date().toISOString();
    return {
      taskId,
      createdAt: now,
      lastUpdatedAt: now,
      ttlMs: 3_600_000,
      pollIntervalMs: this.pollIntervalMs,
      ...this.tasks.get(taskId),
    };
  }
}
