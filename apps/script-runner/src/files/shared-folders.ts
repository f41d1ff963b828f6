import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { didYouMean, ToolError, type SecurityContext } from '@errand/contracts';
import { HintedError } from '../hinted-error.js';
import type { Mount } from '../sandbox/index.js';

/** Where the folders are inside of a sandbox. */
const INSIDE = '/data';
const FOLDER = '[\\w][\\w.-]*(?:/[\\w][\\w.-]*)*';
const ENTRY = new RegExp(`^(${FOLDER}):(ro|rw)$`);
const WISH = new RegExp(`^${FOLDER}$`);

/** Folders that scripts may see, relative to the operator's root, and whether they may write there. */
export type FolderPolicy = ReadonlyMap<string, 'ro' | 'rw'>;

/**
 * Reads `ERRAND_FILES_ALLOW`: entries such as `reports:ro` and `scratch:rw`. No writable folder may contain another entry: what a
 * script can write it can replace by a link, while another script's container is being made.
 * @throws Error naming the entry that is wrong
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
    if (above !== undefined) throw new Error(`'${folder}' lies in '${above}', which scripts may write; take it out`);
  }
  return policy;
}

/** The host's folders for scripts: all below one root, and of these what operator and tool both name. */
export class SharedFolders {
  constructor(
    private readonly root: string,
    private readonly policy: FolderPolicy,
  ) {}

  /**
   * What a tool asks for, as mounts: `reports` is `/data/reports` inside. `*` asks for every folder that the policy names.
   * @throws ToolError SecurityError naming tool and folder; its hint says what the operator has to do
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
    if (!WISH.test(folder)) {
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
      throw refuse('it is not there', `Make the folder ${folder} below ERRAND_FILES_DIR`);
    if (!source.startsWith(root + sep))
      throw refuse(
        'it is a link to somewhere else',
        `The folder ${folder} is a link that leads out of ERRAND_FILES_DIR`,
      );
    if (!(await stat(source)).isDirectory())
      throw refuse('it is not a folder', `${folder} below ERRAND_FILES_DIR is not a folder`);
    return { source, target: `${INSIDE}/${folder}`, readOnly: access === 'ro' };
  }

  /** Writing needs an entry of just that folder; reading goes for all below one, too. */
  private allows(folder: string, access: 'ro' | 'rw'): boolean {
    if (access === 'rw') return this.policy.get(folder) === 'rw';
    if (this.policy.has(folder)) return true;
    // What lies in a folder that scripts write is read by reading that folder: anything in it may be a link by now.
    const above = ancestors(folder).map((one) => this.policy.get(one));
    return above.includes('ro') && !above.includes('rw');
  }
}

function ancestors(folder: string): string[] {
  const parts = folder.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}
