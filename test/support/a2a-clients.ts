import type { Message, Part, SendMessageRequest, StreamResponse, Task } from '@a2a-js/sdk';
import { Role, TaskState } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, type Client } from '@a2a-js/sdk/client';
import { randomUUID } from 'node:crypto';

export type A2aVersion = '1.0' | '0.3';

const CARD = '.well-known/agent-card.json';

/** The published client of A2A for an agent, in one version of the protocol. The card of the agent gives its address. */
export async function a2aClient(
  url: string,
  agent: string,
  version: A2aVersion,
  headers: Record<string, string> = {},
): Promise<Client> {
  const fetchImpl: typeof fetch = (input, init) =>
    fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers } });
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl, legacyCompat: { enabled: true } })],
  });
  const card = await new DefaultAgentCardResolver({ fetchImpl }).resolve(`${url}/a2a/${agent}/`, CARD);
  const supportedInterfaces = card.supportedInterfaces.filter((own) => own.protocolVersion === version);
  return factory.createFromAgentCard({ ...card, supportedInterfaces });
}

export const textPart = (value: string): Part => part({ $case: 'text', value });
export const dataPart = (value: unknown): Part => part({ $case: 'data', value });

export function part(content: Part['content']): Part {
  return { content, metadata: undefined, filename: '', mediaType: '' };
}

/** A message of the user to an agent. */
export function message(given: string | Part[], over: Partial<Message> = {}): Message {
  return {
    messageId: randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: typeof given === 'string' ? [textPart(given)] : given,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...over,
  };
}

/** A request with this message. It waits for the end unless `configuration` says otherwise. */
export function request(
  given: Message | string,
  configuration: Partial<SendMessageRequest['configuration']> = {},
): SendMessageRequest {
  return {
    tenant: '',
    message: typeof given === 'string' ? message(given) : given,
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      returnImmediately: false,
      ...configuration,
    },
    metadata: undefined,
  };
}

/** Sends a message and expects a task. */
export async function send(client: Client, sent: SendMessageRequest): Promise<Task> {
  const result = await client.sendMessage(sent);
  if ('messageId' in result) throw new Error('The agent responded with a message');
  return result;
}

/** The name of the state of a task. */
export function stateOf({ status }: Pick<Task, 'status'>): string {
  return TaskState[status?.state ?? TaskState.UNRECOGNIZED];
}

export function textOf(parts: readonly Part[] = []): string {
  return parts
    .map(({ content }) => (content?.$case === 'text' ? content.value : JSON.stringify(content?.value)))
    .join('');
}

/** The answer of a task that has ended. */
export function answerOf({ artifacts }: Task): string {
  return textOf(artifacts.find(({ artifactId }) => artifactId === 'answer')?.parts);
}

/** What a stream said: the states in order, and the text that a client has after all chunks. */
export async function readUpdates(updates: AsyncIterable<StreamResponse>) {
  const states: string[] = [];
  const chunks: string[] = [];
  let [shown, task]: [string, Task | undefined] = ['', undefined];
  for await (const { payload } of updates) {
    if (payload?.$case === 'task') {
      task = payload.value;
      states.push(stateOf(task));
      shown = answerOf(task);
    }
    if (payload?.$case === 'statusUpdate') states.push(stateOf(payload.value));
    if (payload?.$case !== 'artifactUpdate') continue;
    const chunk = textOf(payload.value.artifact?.parts);
    chunks.push(chunk);
    shown = payload.value.append ? shown + chunk : chunk;
  }
  return { states, chunks, shown, task };
}
