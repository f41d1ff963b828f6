import type { Invocation, InvocationSource } from '@errand/contracts';
import { read } from '../../api/call-api.js';
import { isNotFound } from '../../api/problems.js';
import { showToast } from '../../shell/toasts.js';
import { saveDraft } from '../try/draft.js';
import { pathOf } from './use-invocation.js';

/**
 * The page that runs an invocation again: the form of its only tool, or the text of its calls, which becomes the draft. If the text of several calls
 * was not kept, it is the form of the first one.
 */
export async function pageToRunAgain({ id, steps, agent }: Invocation): Promise<string> {
  const [first] = steps;
  const form = first && `/console/try?tool=${encodeURIComponent(first.toolId)}&from=${id}&step=${first.index}`;
  if (form !== undefined && steps.length === 1) return form;
  const text = await readText(id);
  if (text === undefined && form !== undefined) {
    showToast(`The text of this invocation is not kept. This is the first of its ${steps.length} calls.`);
    return form;
  }
  if (text !== undefined) saveDraft(text);
  return agent === null ? '/console/try' : `/console/try?agent=${encodeURIComponent(agent)}`;
}

async function readText(id: string): Promise<string | undefined> {
  try {
    return (await read<InvocationSource>(`${pathOf(id)}/source`)).text;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
