import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { didYouMean, ToolError, type SecurityContext } from '@errand/contracts';
import { HintedError } from '@errand/platform';
import type { Mount } from '../sandbox/index.js';

/** The path of the folders in a sandbox. */
const INSIDE = '/data';
const FOLDER = '[\\w][\\w.-]*(?:/[\\w][\\w.-]*)*';
const ENTRY = new RegExp(`^(${FOLDER}):(ro|rw)$`);
const REQUEST = new RegExp(`^${FOLDER}$`);

/** Folders that scripts may see, relative to the operator's root, with their access. */
type FolderPolicy = ReadonlyMap<string, 'ro' | 'rw'>;

/**
 * Parses `ERRAND_FILES_ALLOW`: entries such as `reports:ro` and `scratch:rw`. No writable folder may contain another entry.
 * Otherwise a script could replace the inner folder by a link while the container of another script is created.
 * @throws Error that names the wrong entry
 */
export function parseFolderPolicy(entries: readonly string[]): FolderPolicy {
  const policy = new Map<string, 'ro' | 'rw'>();
  for (const entry of entries) {
    const [, folder, access] = ENTRY.exec(entry) ?? [];
    if (folder === undefined || (access !== 'ro' && access !== 'rw')) {
      throw new Error(`'${entry}' must be a folder below ERRAND_FILES_DIR with :ro or :rw, such as reports:ro`);
    }
    policy.set(folder, access);
  }
  for (const [folder] of policy) {
    const above = ancestors(folder).find((one) => policy.get(one) === 'rw');
    if (above !== undefined) throw new Error(`'${folder}' is in '${above}', which scripts may write; remove it`);
  }
  return policy;
}

/** The host's folders for scripts, all below one root. A tool gets the folders that it and the operator both name. */
export class SharedFolders {
  constructor(
    private readonly root: string,
    private readonly policy: FolderPolicy,
  ) {}

  /**
   * Returns the requested folders as mounts: `reports` becomes `/data/reports`. `*` requests every folder of the policy.
   * @throws ToolError SecurityError that names tool and folder; its hint explains the fix to the operator
   */
  async mountsFor(
    toolId: string,
    { allowRead = [], allowWrite = [] }: NonNullable<SecurityContext['fileAccess']>,
  ): Promise<Mount[]> {
    const writable = this.named(allowWrite, 'rw');
    const written = await Promise.all(writable.map((folder) => this.mount(toolId, folder, 'rw')));
    const read = this.named(allowRead, 'ro').filter((folder) => !writable.includes(folder));
    return [...written, ...(await Promise.all(read.map((folder) => this.mount(toolId, folder, 'ro'))))];
  }

  private named(folders: readonly string[], access: 'ro' | 'rw'): string[] {
    const all = [...this.policy].filter(([, allowed]) => access === 'ro' || allowed === 'rw').map(([folder]) => folder);
    return [...new Set(folders.flatMap((folder) => (folder === '*' ? all : [folder])))];
  }

  private async mount(toolId: string, folder: string, access: 'ro' | 'rw'): Promise<Mount> {
    const what = `${toolId} does not get the folder ${JSON.stringify(folder)}`;
    const refuse = (why: string, hint: string) => new HintedError('SecurityError', `${what}: ${why}`, hint);
    if (!REQUEST.test(folder)) {
      const why = "it must be a plain path such as reports/2026, relative to the folder for scripts' files";
      throw new ToolError('SecurityError', `${what}: ${why}`);
    }
    if (!this.allows(folder, access)) {
      const near = didYouMean(folder, this.policy.keys());
      throw refuse(
        'the operator does not allow it',
        `To allow it, add ${folder}:${access} to ERRAND_FILES_ALLOW of the script-runner${near && near !== folder ? `, or did you mean ${near}?` : ''}`,
      );
    }
    const root = await realpath(this.root).catch(() => undefined);
    const source = await realpath(join(this.root, folder)).catch(() => undefined);
    if (root === undefined || source === undefined)
      throw refuse('it does not exist', `Create the folder ${folder} below ERRAND_FILES_DIR`);
    if (!source.startsWith(root + sep))
      throw refuse(
        'it is a link to somewhere else',
        `The folder ${folder} is a link that leads out of ERRAND_FILES_DIR`,
      );
    if (!(await stat(source)).isDirectory())
      throw refuse('it is not a folder', `${folder} below ERRAND_FILES_DIR is not a folder`);
    return { source, target: `${INSIDE}/${folder}`, readOnly: access === 'ro' };
  }

  /** Write access needs an entry of exactly that folder. Read access extends to the folders below an entry. */
  private allows(folder: string, access: 'ro' | 'rw'): boolean {
    if (access === 'rw') return this.policy.get(folder) === 'rw';
    if (this.policy.has(folder)) return true;
    // A folder in a writable folder cannot be mounted alone, because a script can have replaced it by a link.
    const above = ancestors(folder).map((one) => this.policy.get(one));
    return above.includes('ro') && !above.includes('rw');
  }
}

function ancestors(folder: string): string[] {
  const parts = folder.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}
