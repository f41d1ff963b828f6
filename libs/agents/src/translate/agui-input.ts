import { isObject, type Answer, type Json, type JsonObject, type Problem } from '@errand/contracts';

/** A message of the input after AG-UI's schema has accepted it. `id` is `''` for a message that came without one. */
export interface AguiInputMessage {
  id: string;
  role: string;
  content?: unknown;
  toolCallId?: string;
  name?: unknown;
  error?: string;
}

/** The parts of `RunAgentInput` that Errand reads. */
export interface AguiInput {
  threadId: string;
  runId: string;
  parentRunId?: string | undefined;
  messages: readonly AguiInputMessage[];
  tools: readonly { name: string; description?: string | undefined; parameters?: unknown }[];
  context: readonly { description: string; value: string }[];
  state?: unknown;
  resume?: readonly { interruptId: string; status: 'resolved' | 'cancelled'; payload?: unknown }[] | undefined;
}

/** A message for the conversation. `id` is that of the client, if it gave one. */
export interface AguiNewMessage {
  id: string;
  role: 'user' | 'system';
  content: string;
}

/** The answer to a call of a client tool. */
export interface AguiToolAnswer {
  toolCallId: string;
  /** The name of the tool, if the client says it. */
  toolName?: string;
  answer: Answer;
}

/** The answer to an interrupt. */
export interface AguiResume {
  interruptId: string;
  answer: Answer;
}

/** What a run does: it begins a turn, or it answers what a turn waits for. */
export type AguiIntent =
  | { kind: 'message'; candidates: readonly AguiInputMessage[] }
  | { kind: 'answers'; tools: AguiToolAnswer[]; resume: AguiResume[] };

/** The bounds of one request. */
export const AGUI_BOUNDS = { messageBytes: 256 * 1024, answers: 256, tools: 128, context: 64 } as const;

const DECLINED = 'declined';

/** What the input asks for, or all problems that make it unusable. It is known from the input alone. */
export function readIntent(input: AguiInput): { intent: AguiIntent } | { problems: Problem[] } {
  const problems = findProblems(input);
  const messages = withoutOwnTail(input.messages);
  const answers = trailingToolMessages(messages);
  const resume = input.resume ?? [];
  if (answers.length + resume.length > AGUI_BOUNDS.answers)
    problems.push(tooMany(resume.length > 0 ? '/resume' : '/messages', 'answers', AGUI_BOUNDS.answers));
  if (problems.length > 0) return { problems };
  if (answers.length > 0 || resume.length > 0)
    return { intent: { kind: 'answers', tools: answers.map(toToolAnswer), resume: resume.map(toResume) } };
  const last = messages.at(-1);
  if (last?.role === 'user') return { intent: { kind: 'message', candidates: messages } };
  const found = last ? `its role is ${last.role}` : 'the list is empty';
  const message = `The last message must be of the role user or tool, or resume must hold answers; ${found}`;
  return { problems: [{ path: '/messages', message }] };
}

/**
 * The messages that the conversation does not have yet: those behind the last one that it knows. A message of the assistant or of a tool
 * without an id counts as known, unless the conversation is empty. The texts of the assistant come from the session alone.
 * @param isKnown whether the conversation has the message with this id of the client
 */
export function newMessages(
  candidates: readonly AguiInputMessage[],
  { isEmpty, isKnown }: { isEmpty: boolean; isKnown: (id: string) => boolean },
): AguiNewMessage[] {
  const isOld = ({ id, role }: AguiInputMessage) => (id === '' ? role === 'assistant' || role === 'tool' : isKnown(id));
  const last = isEmpty ? -1 : candidates.findLastIndex(isOld);
  return candidates.slice(last + 1).flatMap(({ id, role, content }): AguiNewMessage[] => {
    if (role !== 'user' && role !== 'system' && role !== 'developer') return [];
    return [{ id, role: role === 'user' ? 'user' : 'system', content: textOf(content) }];
  });
}

/** The state that a new turn lays over the world state. Absent if the client has none. */
export function stateOf({ state }: AguiInput): JsonObject | undefined {
  return isObject(state) && Object.keys(state).length > 0 ? (state as JsonObject) : undefined;
}

/** The tools of the input as a turn takes them. */
export function clientToolsOf({ tools }: AguiInput): JsonObject[] {
  return tools.map(({ name, description, parameters }) => ({
    name,
    ...(description !== undefined && description !== '' && { description }),
    ...(isObject(parameters) && { parameters: parameters as JsonObject }),
  }));
}

function findProblems({ threadId, runId, messages, tools, context, state }: AguiInput): Problem[] {
  const problems: Problem[] = [
    ...idProblems('/threadId', threadId),
    ...idProblems('/runId', runId),
    ...messages.flatMap((message, n) => messageProblems(message, `/messages/${n}`)),
  ];
  if (tools.length > AGUI_BOUNDS.tools) problems.push(tooMany('/tools', 'tools', AGUI_BOUNDS.tools));
  if (context.length > AGUI_BOUNDS.context) problems.push(tooMany('/context', 'entries', AGUI_BOUNDS.context));
  for (const [n, { parameters }] of tools.entries())
    if (parameters !== undefined && !isObject(parameters))
      problems.push({
        path: `/tools/${n}/parameters`,
        message: `tools.${n}.parameters must be a JSON Schema, an object`,
      });
  if (state !== undefined && !isObject(state))
    problems.push({ path: '/state', message: 'state must be an object: its keys are laid over the world state' });
  return problems;
}

/** A session takes the same names. A lone surrogate would be stored as another character, so that two ids could become one. */
function idProblems(path: string, id: string): Problem[] {
  if (/^\P{Cs}{1,256}$/u.test(id)) return [];
  const message = `${path.slice(1)} must have 1 to 256 characters, without half of a character (a lone surrogate)`;
  return [{ path, message }];
}

function messageProblems({ role, content }: AguiInputMessage, path: string): Problem[] {
  if (role === 'activity' || role === 'reasoning') return [];
  const at = path.slice(1).replaceAll('/', '.');
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  const other = parts.findIndex((part) => !isObject(part) || part['type'] !== 'text');
  if (other !== -1) {
    const message = `${at}.content.${other} must be a text part; Errand takes no other parts`;
    return [{ path: `${path}/content/${other}`, message }];
  }
  if (Buffer.byteLength(textOf(content)) <= AGUI_BOUNDS.messageBytes) return [];
  return [{ path: `${path}/content`, message: `${at} has more than ${AGUI_BOUNDS.messageBytes / 1024} KiB of text` }];
}

function tooMany(path: string, what: string, most: number): Problem {
  return { path, message: `${path.slice(1)} has more than ${most} ${what}` };
}

/** The id of a message that a run has sent: it begins with the id of a turn and the number of a round. */
const OWN_ID = /^inv_[0-9a-z]{20,64}\.\d+\.[at]/;

/** The messages without those at the end that a run has sent. A client that asks again has them behind its own last one. */
function withoutOwnTail(messages: readonly AguiInputMessage[]): readonly AguiInputMessage[] {
  return messages.slice(0, messages.findLastIndex((message) => !isOwn(message)) + 1);
}

function isOwn({ id, role }: AguiInputMessage): boolean {
  return role !== 'user' && OWN_ID.test(id);
}

/** The answers at the end. The results of server tools, which a run has sent, may stand among them. */
function trailingToolMessages(messages: readonly AguiInputMessage[]): AguiInputMessage[] {
  const from = messages.findLastIndex(({ role }) => role !== 'tool') + 1;
  return messages.slice(from).filter((message) => !isOwn(message));
}

function toToolAnswer({ toolCallId = '', name, content, error }: AguiInputMessage): AguiToolAnswer {
  const text = textOf(content);
  return {
    toolCallId,
    ...(typeof name === 'string' && { toolName: name }),
    answer: error === undefined ? { result: text } : { error: { message: failureText(error, text) } },
  };
}

/** AG-UI has the reason of a failure beside a partial result, and the model needs both. */
function failureText(error: string, partial: string): string {
  return partial === '' || partial === error ? error : `${error}: ${partial}`;
}

function toResume({ interruptId, status, payload }: NonNullable<AguiInput['resume']>[number]): AguiResume {
  const answer: Answer =
    status === 'resolved' ? { result: (payload ?? null) as Json } : { error: { message: DECLINED } };
  return { interruptId, answer };
}

/** The text of a content: a string, or the text of its parts one after another. Lone surrogates become U+FFFD, as in storage. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return wellFormed(content);
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => (isObject(part) && typeof part['text'] === 'string' ? wellFormed(part['text']) : ''))
    .join('');
}

function wellFormed(text: string): string {
  return text.replaceAll(/\p{Cs}/gu, '\uFFFD');
}
