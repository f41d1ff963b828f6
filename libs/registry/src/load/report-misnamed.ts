import { basename } from 'node:path';
import type { ReportProblem } from '../files/library-problem.js';

/** Similar file names that are probably mistakes. */
const NEARLY = {
  '.tool.json': /(?:^|[._-])tools?\.(?:json[c5]?|ya?ml)$/i,
  'plugin.yaml': /^(?:plugin|manifest)\.(?:ya?ml|json[c5]?)$/i,
  '.json': /\.(?:json[c5]|ya?ml)$/i,
};

/** Reports a file that is skipped because of its name, but looks like a library file. */
export function reportMisnamed(file: string, wanted: keyof typeof NEARLY, report: ReportProblem): void {
  const name = basename(file);
  if (!NEARLY[wanted].test(name)) return;
  const rule = wanted.startsWith('.') ? `its name must end with ${wanted}` : `it must be called ${wanted}`;
  const suggestion = wanted.startsWith('.') ? name.replace(/(?:[._-]tools?)?\.\w+$/i, wanted) : wanted;
  report({ file, message: `The file is skipped: ${rule}`, suggestion });
}
