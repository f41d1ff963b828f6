import type { ListTasksRequest } from '@a2a-js/sdk';
import { statusesOf, type A2aTask } from '@errand/agents';
import type { Status } from '@errand/contracts';
import type { InvocationQuery } from '@errand/queue';
import { Injectable } from '@nestjs/common';
import { readCursor, toCursor } from '../http/list-cursor.js';
import { toolOf, type A2aCaller } from './a2a-caller.js';
import { A2aTasks } from './a2a-tasks.js';
import { invalid, requireLength } from './read-request.js';
import { loadSdk } from './a2a-sdk.js';

const DEFAULT_PAGE = 50;
const MAX_PAGE = 100;
const LONGEST_CONTEXT = 256;

/** A page of tasks in their JSON form. */
export interface TaskPage {
  tasks: A2aTask[];
  nextPageToken: string;
  pageSize: number;
  /** The number of all matching tasks, exact to 10,000. */
  totalSize: number;
}

/** Lists the tasks of an agent, newest first; with a time, those that have changed since then, oldest change first. */
@Injectable()
export class ListTasks {
  constructor(private readonly tasks: A2aTasks) {}

  /** @throws ProblemError invalid_request */
  async list(caller: A2aCaller, request: ListTasksRequest): Promise<TaskPage> {
    const historyLength = requireLength(request.historyLength);
    const limit = readSize(request.pageSize);
    const sought = await readQuery(request);
    if (sought.statuses?.length === 0) return { tasks: [], nextPageToken: '', pageSize: limit, totalSize: 0 };
    const owner = { tenant: caller.scope.tenant, sought: { ...sought, toolId: toolOf(caller) } };
    const after = readCursor(request.pageToken || undefined, owner);
    const { items, next, count } = await this.tasks.list(caller, sought, { limit, after });
    const view = { historyLength, withArtifacts: request.includeArtifacts === true };
    const tasks = await Promise.all(items.map((item) => this.tasks.read(caller, item, view)));
    return { tasks, nextPageToken: toCursor(owner, next) ?? '', pageSize: limit, totalSize: count };
  }
}

function readSize(size: number | undefined): number {
  if (size === undefined || size === 0) return DEFAULT_PAGE;
  if (Number.isInteger(size) && size > 0 && size <= MAX_PAGE) return size;
  throw invalid('pageSize', `must be from 1 to ${MAX_PAGE}`);
}

async function readQuery({ contextId, status, statusTimestampAfter }: ListTasksRequest): Promise<InvocationQuery> {
  const statuses = await readStatuses(status);
  const changed = readTime(statusTimestampAfter);
  if (contextId.length > LONGEST_CONTEXT) throw invalid('contextId', `must have at most ${LONGEST_CONTEXT} characters`);
  return {
    ...(contextId && { session: contextId }),
    ...(statuses && { statuses }),
    ...(changed !== undefined && { updatedAfter: changed }),
  };
}

/** The state has a number in the SDK. Undefined for no filter; empty for a state that no task here has. */
async function readStatuses(state: number): Promise<Status[] | undefined> {
  if (state === 0) return undefined;
  const { TaskState } = (await loadSdk()).shapes;
  const name: string | undefined = TaskState[state];
  if (name === undefined || name === 'UNRECOGNIZED') throw invalid('status', 'must be the name of a task state');
  return statusesOf(name);
}

function readTime(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw invalid('statusTimestampAfter', 'must be a time such as 2026-11-21T09:30:00Z');
  return ms;
}
