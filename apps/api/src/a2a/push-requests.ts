import type { TaskPushNotificationConfig } from '@a2a-js/sdk';
import { ToolError } from '@errand/contracts';
import { checkCallbackUrl } from '@errand/platform';
import { MAX_PUSHES, putPush, Queues, readPushes, removePush, type PushConfiguration } from '@errand/queue';
import { Injectable } from '@nestjs/common';
import { ApiConfiguration } from '../api-tokens.js';
import { ProblemError } from '../http/problem-error.js';
import type { NewPush } from '../submit/submit-invocation.js';
import type { A2aCaller } from './a2a-caller.js';
import { A2aTasks } from './a2a-tasks.js';
import { invalid } from './read-request.js';

const LONGEST_URL = 2_048;
/** A value that a header may have: visible ASCII, and blanks inside. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]{0,4094}[\x21-\x7e])?$/;
const SCHEME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
const ID = /^\P{Cs}{1,256}$/u;

/** Push configurations of tasks. Their messages are deliveries of the task's invocation. */
@Injectable()
export class PushRequests {
  constructor(
    private readonly tasks: A2aTasks,
    private readonly queues: Queues,
    private readonly settings: ApiConfiguration,
  ) {}

  /**
   * Checks a configuration. The address of its receiver is checked again at each connect.
   * @throws ProblemError invalid_request or unsupported_callback_url
   */
  read({ version }: A2aCaller, given: TaskPushNotificationConfig): NewPush {
    const { id, url, token, authentication } = given;
    if (id && !ID.test(id)) throw invalid('id', 'of a push configuration must have at most 256 characters');
    if (token && !HEADER_VALUE.test(token)) throw invalid('token', 'must be visible ASCII, because it is a header');
    if (authentication && !SCHEME.test(authentication.scheme))
      throw invalid('authentication.scheme', 'must be the name of an HTTP scheme such as Bearer');
    if (authentication?.credentials && !HEADER_VALUE.test(authentication.credentials))
      throw invalid('authentication.credentials', 'must be visible ASCII, because they are a header');
    return {
      ...(id && { id }),
      version,
      url: this.requireUrl(url),
      ...(token && { token }),
      ...(authentication && { authentication }),
    };
  }

  /** Stores a checked configuration. Without an id, the task has one such configuration, with the id of the task. */
  async put(caller: A2aCaller, taskId: string, read: NewPush): Promise<TaskPushNotificationConfig> {
    const { record } = await this.tasks.find(caller, taskId);
    const push: PushConfiguration = { ...read, id: read.id ?? taskId };
    const outcome = await putPush(this.queues, { tenant: record.tenant, invocationId: taskId }, push);
    if (outcome === 'missing') await this.tasks.find(caller, taskId);
    if (outcome === 'full')
      throw new ProblemError('invalid_request', `A task may have ${MAX_PUSHES} push configurations`);
    return toConfig(taskId, push);
  }

  /** @throws ProblemError not_found without such a configuration */
  async get(caller: A2aCaller, taskId: string, id: string): Promise<TaskPushNotificationConfig> {
    const wanted = id || taskId;
    const found = (await this.list(caller, taskId)).find((config) => config.id === wanted);
    return found ?? noConfig(taskId, wanted);
  }

  async list(caller: A2aCaller, taskId: string): Promise<TaskPushNotificationConfig[]> {
    await this.tasks.find(caller, taskId);
    return (await readPushes(this.queues, taskId)).map((push) => toConfig(taskId, push));
  }

  /** A configuration that does not exist is deleted already. */
  async delete(caller: A2aCaller, taskId: string, id: string): Promise<void> {
    await this.tasks.find(caller, taskId);
    await removePush(this.queues, taskId, id || taskId);
  }

  private requireUrl(url: string): string {
    if (url === '' || url.length > LONGEST_URL) throw invalid('url', `must have 1 to ${LONGEST_URL} characters`);
    try {
      checkCallbackUrl(url, this.settings.ERRAND_CALLBACK_ALLOW);
      return url;
    } catch (error) {
      if (error instanceof ToolError) throw new ProblemError('unsupported_callback_url', error.message);
      throw error;
    }
  }
}

function toConfig(
  taskId: string,
  { id, url, token = '', authentication }: PushConfiguration,
): TaskPushNotificationConfig {
  return { tenant: '', id, taskId, url, token, authentication };
}

function noConfig(taskId: string, id: string): never {
  throw new ProblemError('not_found', `The task ${taskId} has no push configuration '${id.slice(0, 80)}'`);
}
