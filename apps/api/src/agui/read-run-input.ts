import { readIntent, spellRunInput, type AguiInput, type AguiIntent } from '@errand/agents';
import { canonicalJson, isDeeperThan, isObject, MAX_DEPTH, type JsonObject, type Problem } from '@errand/contracts';
import { createHash } from 'node:crypto';
import { ProblemError } from '../http/problem-error.js';
import { loadAguiPackages } from './agui-packages.js';

/** The body adds a few levels around the JSON of the client. */
const MAX_INPUT_DEPTH = MAX_DEPTH + 4;
/** The highest number of reported problems. */
const MAX_PROBLEMS = 20;

/** The body of a run after all checks that need nothing else. */
export interface RunInput {
  input: AguiInput;
  intent: AguiIntent;
  forwarded: { agent?: unknown; options?: unknown };
  /** The digest of what the run asks for. What the run itself sends to its client does not change it. */
  digest: string;
}

/** Reads `RunAgentInput`, also in the spelling of older front ends. @throws ProblemError 422 that names each wrong part */
export async function readRunInput(body: unknown): Promise<RunInput> {
  if (!isObject(body)) throw refused([{ path: '', message: "The body must be a JSON object, AG-UI's RunAgentInput" }]);
  if (isDeeperThan(body, MAX_INPUT_DEPTH))
    throw refused([{ path: '', message: `The body nests deeper than ${MAX_DEPTH} levels` }]);
  const input = await parse(body);
  const read = readIntent(input);
  if ('problems' in read) throw refused(read.problems);
  const { forwardedProps } = body;
  const forwarded = isObject(forwardedProps) ? forwardedProps : {};
  return { input, intent: read.intent, forwarded, digest: digestOf(read.intent, input, forwarded) };
}

async function parse(body: Record<string, unknown>): Promise<AguiInput> {
  const { RunAgentInputSchema, omitOptionalNulls } = await loadAguiPackages();
  const parsed = RunAgentInputSchema.safeParse(omitOptionalNulls(spellRunInput(body), 'RunAgentInput'));
  if (parsed.success) return parsed.data;
  throw refused(
    parsed.error.issues.slice(0, MAX_PROBLEMS).map(({ path, message }) => ({
      path: path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
      message: `${path.join('.') || 'The body'}: ${message}`,
    })),
  );
}

function refused(problems: readonly Problem[]): ProblemError {
  const shown = problems.slice(0, MAX_PROBLEMS);
  const detail = `The body is not the input of a run: ${shown.map(({ message }) => message).join('; ')}`;
  return new ProblemError('invalid_request', detail, { status: 422, errors: shown });
}

/** A client that asks again has more messages and another state by then, because the run has sent them. */
function digestOf(intent: AguiIntent, { tools, context }: AguiInput, forwarded: object): string {
  const asked =
    intent.kind === 'answers' ? { tools: intent.tools, resume: intent.resume } : { message: intent.candidates.at(-1) };
  const text = canonicalJson({ asked, tools, context, forwarded } satisfies Record<keyof JsonObject, unknown>);
  return createHash('sha256').update(text).digest('base64url');
}
