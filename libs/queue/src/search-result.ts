import type { ResultReader } from './read-result.js';

export interface Match {
  /** Where it begins, in characters: an `offset` to read on from. */
  offset: number;
  /** The line of text around it, shortened. */
  excerpt: string;
}

/** Characters that are looked through at a time, and shown before and behind a match. */
const WINDOW = 1_000_000;
const AROUND = 60;

/**
 * Where a text stands in a result, whether in capitals or not, from `from` on. `next` is where to go on for more; null behind the last.
 */
export async function searchResult(
  reader: ResultReader,
  wanted: string,
  { from, limit }: { from: number; limit: number },
): Promise<{ matches: Match[]; next: number | null }> {
  const matches: Match[] = [];
  for (let start = from; start < reader.total; start += WINDOW) {
    // A match may begin at the end of this window and end in the next one.
    const text = await reader.part(start, start + WINDOW + wanted.length - 1);
    for (const { index } of text.matchAll(new RegExp(literally(wanted), 'giu'))) {
      const offset = start + index;
      if (matches.length === limit) return { matches, next: offset };
      matches.push({ offset, excerpt: await excerptAt(reader, offset, wanted.length) });
    }
  }
  return { matches, next: null };
}

async function excerptAt(reader: ResultReader, offset: number, length: number): Promise<string> {
  const from = Math.max(0, offset - AROUND);
  const to = Math.min(offset + length + AROUND, reader.total);
  const text = (await reader.part(from, to)).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '').replace(/\s+/g, ' ');
  return `${from > 0 ? '…' : ''}${text}${to < reader.total ? '…' : ''}`;
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
