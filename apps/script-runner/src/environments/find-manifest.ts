import { basename, dirname } from 'node:path/posix';
import type { ScriptBundle } from '@errand/contracts';

/** The file that names the dependencies of a script, with the files that the installer reads with it. */
export interface Manifest {
  language: 'python' | 'bun';
  /** The path of the manifest, relative to the bundle. */
  path: string;
  /** The manifest, its lock files, and the files that they may include. */
  files: ScriptBundle['files'];
}

const PYTHON_MANIFESTS = ['requirements.txt', 'pyproject.toml'];
const PYTHON_FILE = /^((requirements|constraints)[\w.-]*\.txt|pyproject\.toml|uv\.lock)$/;
const BUN_FILES = ['package.json', 'bun.lock', 'bun.lockb', 'package-lock.json', 'yarn.lock', 'pnpm-lock.yaml'];

/**
 * Returns the manifest beside the entry of a script, or in the nearest folder above. Returns undefined if there is none, or
 * if it names no dependency.
 */
export function findManifest({ language, entry, files }: ScriptBundle): Manifest | undefined {
  const names = language === 'python' ? PYTHON_MANIFESTS : ['package.json'];
  for (let folder = dirname(entry); ; folder = dirname(folder)) {
    const paths = names.map((name) => join(folder, name));
    const found = paths.flatMap((path) => files.find((file) => file.path === path) ?? []).at(0);
    if (found) {
      const isRead = (name: string) => (language === 'python' ? PYTHON_FILE.test(name) : BUN_FILES.includes(name));
      const beside = files.filter((file) => dirname(file.path) === folder && isRead(basename(file.path)));
      const manifest = { language: language === 'python' ? language : 'bun', path: found.path, files: beside } as const;
      return hasDependencies(found) ? manifest : undefined;
    }
    if (folder === '.') return undefined;
  }
}

const join = (folder: string, name: string) => (folder === '.' ? name : `${folder}/${name}`);

/** An invalid manifest counts as one with dependencies, so that the installer reports its error. */
function hasDependencies({ path, base64 }: ScriptBundle['files'][number]): boolean {
  const text = Buffer.from(base64, 'base64').toString();
  if (path.endsWith('.txt')) return text.split('\n').some((line) => /^\s*[^#\s]/.test(line));
  if (path.endsWith('.toml')) return /^\s*dependencies\s*=/m.test(text);
  try {
    const { dependencies, optionalDependencies } = JSON.parse(text) as Record<string, object | undefined>;
    return Object.keys({ ...dependencies, ...optionalDependencies }).length > 0;
  } catch {
    return true;
  }
}
