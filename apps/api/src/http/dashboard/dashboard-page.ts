import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The page loads, sends and embeds only what this API serves. */
export const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'";

/** The texts of the page, below its base path. */
export const TEXTS = 'static/locales/en-US/messages.json';

/** Names of tabs and filters. Later: suspended or delayed. Not ended: callbacks of invocations that have not ended. */
const RENAMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'QUEUE.STATUS': { DELAYED: 'Later', 'WAITING-CHILDREN': 'Not ended' },
  'DASHBOARD.SORTING': { DELAYED: 'Later jobs' },
};

/** The page without the elements that load files from other hosts, such as fonts. The fonts of the system take their place. */
export function withoutForeignFiles(html: string): string {
  return html.replaceAll(/<(link|script|img)\b[^>]*\b(?:href|src)=["']?(?:https?:)?\/\/[^>]*>(?:\s*<\/\1>)?/gi, '');
}

/** The texts of the page with the names of Errand. */
export async function readTexts(): Promise<object> {
  const folder = dirname(require.resolve('@bull-board/ui/package.json'));
  const texts = JSON.parse(await readFile(join(folder, 'dist', TEXTS), 'utf8')) as Record<string, unknown>;
  for (const [path, names] of Object.entries(RENAMED)) {
    const [outer = '', inner = ''] = path.split('.');
    Object.assign((texts[outer] as Record<string, object>)[inner]!, names);
  }
  return texts;
}
