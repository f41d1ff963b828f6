import type { InboxItem } from '@errand/contracts';
import { shownTenant } from '../../api/session.js';

const MOST_CHARACTERS = 200_000;

/** A half-typed answer, with the item that it is for. */
export interface AnswerDraft {
  item: InboxItem;
  text: string;
  /** Why the answer is refused. */
  reason: string;
}

export function readDraft(id: string): AnswerDraft | undefined {
  const stored = localStorage.getItem(nameOf(id));
  if (stored === null) return undefined;
  try {
    const draft = JSON.parse(stored) as Partial<AnswerDraft>;
    const { item, text, reason = '' } = draft;
    return typeof text === 'string' && item?.id === id ? { item, text, reason } : undefined;
  } catch {
    return undefined;
  }
}

/** All half-typed answers of this browser to questions of the tenant that is shown. */
export function readDrafts(): AnswerDraft[] {
  const begin = nameOf('');
  return Object.keys(localStorage).flatMap((name) =>
    name.startsWith(begin) ? (readDraft(name.slice(begin.length)) ?? []) : [],
  );
}

/** Keeps a half-typed answer. A browser without room keeps it only on the page. */
export function keepDraft(draft: AnswerDraft): void {
  const stored = JSON.stringify(draft);
  if (stored.length > MOST_CHARACTERS) return;
  try {
    localStorage.setItem(nameOf(draft.item.id), stored);
  } catch {
    // The page still has the text.
  }
}

export function dropDraft(id: string): void {
  localStorage.removeItem(nameOf(id));
}

/** A logout deletes what has such a name. */
function nameOf(id: string): string {
  return `errand-answer-${shownTenant()}:${id}`;
}
