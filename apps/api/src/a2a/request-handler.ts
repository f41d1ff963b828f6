import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import type { A2aUpdate } from '@errand/agents';
import { isFinal, type JsonObject } from '@errand/contracts';
import { ProblemError } from '../http/problem-error.js';
import type { A2aCaller } from './a2a-caller.js';
import type { A2aErrors } from './a2a-errors.js';
import type { A2aSdk } from './a2a-sdk.js';
import type { A2aTasks } from './a2a-tasks.js';
import type { FollowTask } from './follow-task.js';
import type { ListTasks } from './list-tasks.js';
import type { PushRequests } from './push-requests.js';
import { requireLength } from './read-request.js';
import type { SendMessage } from './send-message.js';

/** What the handler works with. */
export interface A2aParts {
  tasks: A2aTasks;
  sending: SendMessage;
  following: FollowTask;
  listing: ListTasks;
  pushes: PushRequests;
}

/**
 * The methods of A2A for one request, over invocations: a task is a turn, a context is a session. It stores nothing itself. The SDK reads and
 * writes JSON-RPC and translates 0.3.
 */
export class A2aRequestHandler implements A2ARequestHandler {
  /** Whether the SDK has read the parameters of the request. */
  wasCalled = false;

  constructor(
    private readonly sdk: A2aSdk,
    private readonly errors: A2aErrors,
    private readonly parts: A2aParts,
    private readonly caller: A2aCaller,
    private readonly card: () => JsonObject,
  ) {}

  async getAgentCard(): Promise<AgentCard> {
    return this.sdk.shapes.AgentCard.fromJSON(this.card());
  }

  getAuthenticatedExtendedAgentCard(): Promise<AgentCard> {
    return this.run(async () => {
      throw new ProblemError('conflict', 'The card of this agent is complete; there is no extended one');
    });
  }

  sendMessage({ message, configuration }: SendMessageRequest): Promise<Task> {
    return this.run(async () => {
      const historyLength = requireLength(configuration?.historyLength);
      const { invocation, answered } = await this.send(message, configuration?.taskPushNotificationConfig);
      if (configuration?.returnImmediately) return this.taskOf(invocation, { historyLength, answered });
      const rested = await this.parts.following.untilRest(this.caller, invocation.id, answered);
      return this.taskOf(rested, { historyLength, answered });
    });
  }

  sendMessageStream({ message, configuration }: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    return this.stream(async () => {
      const historyLength = requireLength(configuration?.historyLength);
      const { invocation, answered } = await this.send(message, configuration?.taskPushNotificationConfig);
      return this.parts.following.follow(this.caller, invocation.id, { historyLength, answered });
    });
  }

  resubscribe({ id }: SubscribeToTaskRequest): AsyncGenerator<StreamResponse, void, undefined> {
    return this.stream(async () => {
      const { status } = await this.parts.tasks.find(this.caller, id);
      if (isFinal(status)) throw new ProblemError('conflict', `The task has ended (${status}); read it with GetTask`);
      return this.parts.following.follow(this.caller, id, { isSubscription: true });
    });
  }

  getTask({ id, historyLength }: GetTaskRequest): Promise<Task> {
    return this.run(async () =>
      this.taskOf(await this.parts.tasks.find(this.caller, id), { historyLength: requireLength(historyLength) }),
    );
  }

  cancelTask({ id }: CancelTaskRequest): Promise<Task> {
    const { tasks, following } = this.parts;
    return this.run(async () => {
      const before = await tasks.find(this.caller, id);
      await tasks.cancel(this.caller, before);
      return this.taskOf(await following.untilRest(this.caller, id, before.steps[0]?.waiting));
    });
  }

  listTasks(request: ListTasksRequest): Promise<ListTasksResponse> {
    return this.run(async () => {
      const { tasks, ...page } = await this.parts.listing.list(this.caller, request);
      return { ...page, tasks: tasks.map((task) => this.sdk.shapes.Task.fromJSON(task)) };
    });
  }

  createTaskPushNotificationConfig(given: TaskPushNotificationConfig): Promise<TaskPushNotificationConfig> {
    const { pushes } = this.parts;
    return this.run(async () => pushes.put(this.caller, given.taskId, pushes.read(this.caller, given)));
  }

  getTaskPushNotificationConfig(given: GetTaskPushNotificationConfigRequest): Promise<TaskPushNotificationConfig> {
    return this.run(() => this.parts.pushes.get(this.caller, given.taskId, given.id));
  }

  listTaskPushNotificationConfigs(
    given: ListTaskPushNotificationConfigsRequest,
  ): Promise<ListTaskPushNotificationConfigsResponse> {
    return this.run(async () => ({
      configs: await this.parts.pushes.list(this.caller, given.taskId),
      nextPageToken: '',
    }));
  }

  deleteTaskPushNotificationConfig(given: DeleteTaskPushNotificationConfigRequest): Promise<void> {
    return this.run(() => this.parts.pushes.delete(this.caller, given.taskId, given.id));
  }

  /** A configuration is checked before the message has an effect. A new turn has it from the start; `put` is for one that exists. */
  private async send(message: SendMessageRequest['message'], config: TaskPushNotificationConfig | undefined) {
    const push = config && this.parts.pushes.read(this.caller, config);
    const sent = await this.parts.sending.send(this.caller, message, push);
    if (push) await this.parts.pushes.put(this.caller, sent.invocation.id, push);
    return sent;
  }

  private async taskOf(...[invocation, view]: TaskArguments): Promise<Task> {
    return this.sdk.shapes.Task.fromJSON(await this.parts.tasks.read(this.caller, invocation, view));
  }

  private run<T>(work: () => Promise<T>): Promise<T> {
    this.wasCalled = true;
    return this.errors.guard(work);
  }

  private stream(open: () => Promise<AsyncIterable<A2aUpdate>>): AsyncGenerator<StreamResponse, void, undefined> {
    this.wasCalled = true;
    const { StreamResponse: shape } = this.sdk.shapes;
    return this.errors.guardStream(
      (async function* () {
        for await (const update of await open()) yield shape.fromJSON(update);
      })(),
    );
  }
}

type TaskArguments = Parameters<A2aTasks['read']> extends [unknown, ...infer Rest] ? Rest : never;
