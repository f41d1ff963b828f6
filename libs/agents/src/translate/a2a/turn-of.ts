import type { Artifact, Failure, Invocation, Json, Round, Status, Step, Waiting } from '@errand/contracts';

/** A file that a script of a turn returned. */
export interface TurnFile extends Pick<Artifact, 'name' | 'contentType'> {
  /** Unique in the turn. */
  id: string;
  url: string;
}

/** A message that began a turn. */
export interface GivenMessage {
  id: string;
  content: string;
}

/** What the translation to A2A reads of a turn. */
export interface Turn {
  id: string;
  contextId: string;
  status: Status;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
  given: GivenMessage[];
  rounds: Round[];
  result: Json;
  error: Failure | null;
  waiting?: Waiting | undefined;
  files: TurnFile[];
}

/** The metadata field with the id that the client gave the message of a turn. */
export const MESSAGE_ID = 'a2aMessageId';

type ReadInvocation = Omit<Invocation, 'observation' | 'links'>;

/** The turn of an invocation that calls one agent. `files` are those of its children. */
export function turnOf(invocation: ReadInvocation, files: TurnFile[] = []): Turn {
  const { id, status, createdAt, startedAt, finishedAt, session, result, error, steps } = invocation;
  const [step] = steps;
  return {
    id,
    contextId: session ?? id,
    status,
    createdAt,
    startedAt,
    finishedAt,
    given: step ? givenMessages(invocation, step) : [],
    rounds: step?.rounds ?? [],
    result,
    error,
    waiting: step?.waiting?.for === 'answer' ? step.waiting : undefined,
    files,
  };
}

/** The messages of the user among the arguments: `messages`, then `message`. */
function givenMessages({ id, metadata }: ReadInvocation, { arguments: args }: Step): GivenMessage[] {
  const { message, messages } = args;
  const listed = Array.isArray(messages) ? messages : [];
  const contents = [...listed.map(contentOf), message].filter((content) => typeof content === 'string');
  const sentId = metadata?.[MESSAGE_ID];
  const ownId = typeof sentId === 'string' && contents.length === 1 ? sentId : undefined;
  return contents.map((content, n) => ({ id: ownId ?? `${id}.m${n}`, content }));
}

function contentOf(entry: Json): Json | undefined {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry) || entry['role'] !== 'user') return undefined;
  return entry['content'];
}
