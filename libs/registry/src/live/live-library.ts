import { assembleLibrary, type AssembleOptions, type Assembled } from '../load/assemble-library.js';
import type { Library } from '../load/library.js';
import type { LibraryFiles, ParsedFile } from '../files/library-files.js';
import type { LibraryProblem } from '../files/library-problem.js';
import { prepareRemoteTools } from '../remote/prepare-remote-tools.js';
import { LibraryReader, type LibraryFolders } from '../files/read-library.js';

/** The result of a scan of the files. */
interface ScanResult {
  library: Library;
  /** Whether something is worse than at the last accepted scan. A file may be in the middle of a write. */
  isWorse: boolean;
}

/** The accepted state: the parsed files by path, and their definitions. */
interface Accepted extends Assembled {
  parsedFiles: ReadonlyMap<string, ParsedFile<unknown>>;
}

/**
 * A library whose files are edited. If an edited file has problems and lost a definition, its last good version stays
 * in use, and the problems are reported. A deleted file loses its definitions.
 */
export class LiveLibrary {
  private readonly reader: LibraryReader;
  private accepted: Accepted | undefined;

  constructor(private readonly options: LibraryFolders & AssembleOptions) {
    this.reader = new LibraryReader(options);
  }

  /** Scans the files again. `accept` makes the result the baseline of later scans. */
  async scan(): Promise<ScanResult & { accept: () => void }> {
    const files = await this.reader.read();
    await prepareRemoteTools(files, this.options);
    const found = this.withLastGoodVersions(files);
    const before = this.accepted;
    const library = before && isSame(before.library, found.library) ? before.library : found.library;
    return {
      library,
      isWorse: before !== undefined && isWorse(before, found),
      accept: () => {
        this.accepted = { ...found, library };
      },
    };
  }

  /**
   * Replaces broken edits by their last good versions. A replacement can show that another edit is broken, so this
   * repeats.
   */
  private withLastGoodVersions(fresh: LibraryFiles): Accepted {
    const kept = new Map<string, LibraryProblem[]>();
    for (;;) {
      const files = withParsedFiles(fresh, (file) =>
        kept.has(file) ? this.accepted?.parsedFiles.get(file) : undefined,
      );
      const assembled = assembleLibrary(files, this.options);
      const broken = this.brokenIn(files, assembled);
      if (broken.size === 0) return { ...withKeptProblems(assembled, kept), parsedFiles: parsedFilesOf(files) };
      for (const [file, problems] of broken) kept.set(file, problems);
    }
  }

  /** The edited files that have problems and lost a definition. */
  private brokenIn(files: LibraryFiles, { library, definitions }: Assembled): Map<string, LibraryProblem[]> {
    const broken = new Map<string, LibraryProblem[]>();
    const edited = [...parsedFilesOf(files).values()].filter((parsed) => {
      const before = this.accepted?.parsedFiles.get(parsed.file);
      return before !== undefined && before !== parsed;
    });
    for (const { file } of edited) {
      const problems = library.problems.filter((problem) => problem.file === file && isOfFile(problem));
      const lost = [...(this.accepted?.definitions.get(file) ?? [])].filter(
        (what) => !definitions.get(file)?.has(what),
      );
      if (problems.length > 0 && lost.length > 0) broken.set(file, problems);
    }
    return broken;
  }
}

/** A server that is away is no mistake of its file. */
function isOfFile({ server }: LibraryProblem): boolean {
  return server === undefined;
}

const KEPT = 'until this is fixed, the last good version of the file stays in use';

/** Reports the problems of the edit, instead of those of the version that stays in use. */
function withKeptProblems({ library, definitions }: Assembled, kept: ReadonlyMap<string, LibraryProblem[]>): Assembled {
  const problems = library.problems.filter((problem) => !kept.has(problem.file) || !isOfFile(problem));
  for (const ofFile of kept.values()) {
    problems.push(...ofFile.map((problem) => ({ ...problem, message: `${problem.message} (${KEPT})` })));
  }
  return { library: { ...library, problems }, definitions };
}

/** Replaces some of the parsed files. */
function withParsedFiles(
  { plugins, workflows, tools, agents, servers, problems }: LibraryFiles,
  instead: (file: string) => ParsedFile<unknown> | undefined,
): LibraryFiles {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a file is always read as one kind
  const choose = <Content>(parsed: ParsedFile<Content>) => (instead(parsed.file) ?? parsed) as ParsedFile<Content>;
  return {
    plugins: plugins.map(choose),
    workflows: workflows.map(choose),
    tools: tools.map(choose),
    agents: agents.map(choose),
    servers: servers.map(choose),
    problems,
  };
}

function parsedFilesOf({ plugins, workflows, tools, agents, servers }: LibraryFiles): Map<string, ParsedFile<unknown>> {
  return new Map([...plugins, ...workflows, ...tools, ...agents, ...servers].map((parsed) => [parsed.file, parsed]));
}

function isWorse(before: Accepted, now: Accepted): boolean {
  const known = new Set(before.library.problems.map((problem) => JSON.stringify(problem)));
  const isGone = [...before.parsedFiles.keys()].some((file) => !now.parsedFiles.has(file));
  return isGone || now.library.problems.some((problem) => isOfFile(problem) && !known.has(JSON.stringify(problem)));
}

function isSame(one: Library, other: Library): boolean {
  return (
    JSON.stringify(one.problems) === JSON.stringify(other.problems) &&
    hasSameValues(one.nodeTypes, other.nodeTypes) &&
    hasSameValues(one.services, other.services) &&
    hasSameValues(one.workflows, other.workflows) &&
    hasSameValues(one.agents, other.agents) &&
    hasSameValues(one.deliberations, other.deliberations) &&
    hasSameValues(one.servers, other.servers) &&
    one.tools.size === other.tools.size &&
    [...one.tools].every(([id, versions]) => isSameList(versions, other.tools.get(id) ?? []))
  );
}

function hasSameValues(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value);
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => other[index] === item);
}
