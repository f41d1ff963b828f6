import type { InvocationRecord } from '../state/record.js';

/** Statistics count an invocation under so many of its tools. */
const MOST_TOOLS = 20;

/** What the scripts note of an invocation besides the name of its job. */
interface Noted {
  /** Its tools as JSON; '' if it has one call, whose tool is the name of its job. */
  tools: string;
  /** Its agent, or ''. */
  agent: string;
}

/** Of a job that is no invocation. */
export const NOTHING_NOTED: Noted = { tools: '', agent: '' };

/** What the end of an invocation notes. */
export function notedOf(record: InvocationRecord): Noted {
  const tools = severalTools(record);
  return { tools: tools ? JSON.stringify(tools) : '', agent: record.agent ?? '' };
}

/** What the acceptance of an invocation notes. Most have none of these. */
export function notedInPlan(record: InvocationRecord): { tools?: string[]; agent?: string } {
  const tools = severalTools(record);
  return { ...(tools && { tools }), ...(record.agent !== undefined && { agent: record.agent }) };
}

function severalTools({ calls }: InvocationRecord): string[] | undefined {
  return calls.length < 2 ? undefined : [...new Set(calls.map(({ toolId }) => toolId))].slice(0, MOST_TOOLS);
}
