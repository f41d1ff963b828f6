import { dirname } from 'node:path/posix';
import type { ScriptBundle } from '@errand/contracts';

/** What a script says that it depends on: the file that says so, and those that are read with it. */
export interface Manifest {
  language: 'python' | 'bun';
  /** Relative to the bundle. */
  path: string;
  /** The manifest, its locks, and what they may include. */
  files: ScriptBundle['files'];
}

const PYTHON_MANIFESTS = ['requirements.txt', 'pyproject.toml'];
const PYTHON_FILE = /^((requirements|constraints)[\w.-]*\.txt|pyproject\.toml|uv\.lock)$/;
const BUN_FILES = ['package.json', 'bun.lock', 'bun.lockb', 'package-lock.json', 'yarn.lock', 'pnpm-lock.yaml'];

/**
 * The manifest of a script: beside its entry, else in the next folder above that has one. Undefined where there is none, or
 * where it asks for nothing.
 */
export function findManifest({ language, entry, files }: ScriptBundle): Manifest | undefined {
  const names = language === 'python' ? PYTHON_MANIFESTS : ['package.json'];
  for (let folder = dirname(entry); ; folder = dirname(folder)) {
    const path = names.map((name) => join(folder, name)).find((wanted) => files.some((file) => file.path === wanted));
    if (path !== undefined) {
      const isRead = (name: string) => (language === 'python' ? PYTHON_FILE.test(name) : BUN_FILES.includes(name));
      const beside = files.filter((file) => dirname(file.path) === folder && isRead(file.path.split('/').at(-1)!));
      const manifest = { language: language === 'python' ? language : 'bun', path, files: beside } as const;
      return asksForSomething(manifest) ? manifest : undefined;
    }
    if (folder === '.') return undefined;
  }
}

const join = (folder: string, name: string) => (folder === '.' ? name : `${folder}/${name}`);

/** A manifest that cannot be read asks for something: what is wrong with it, the installer says best. */
function asksForSomething({ path, files }: Manifest): boolean {
  const text = Buffer.from(files.find((file) => file.path === path)!.base64, 'base64').toString();
  if (path.endsWith('.txt')) return text.split('\n').some((line) => /^\s*[^#\s]/.test(line));
  if (path.endsWith('.toml')) return /^\s*dependencies\s*=/m.test(text);
  try {
    const { dependencies, optionalDependencies } = JSON.parse(text) as Record<string, object | undefined>;
    return Object.keys({ ...dependencies, ...optionalDependencies }).length > 0;
  } catch {
    return true;
  }
}
