import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { extract } from 'tar-stream';

const MAX_NAME = 200;
const SHOWN = 40;
/** Anything in a name but these is replaced: what may stand in a URL, a header and a file name of any system. */
const UNSAFE = /[^\p{L}\p{N} ._()@+=,/-]/gu;

/** A file that a script handed out. */
export interface OutgoingFile {
  /** Relative, with `/`; no part is empty or begins with a dot. */
  name: string;
  bytes: Buffer;
  sha256: string;
}

/**
 * The files of an archive that comes from inside of a sandbox, where a script can have written it: regular files only, names
 * cleaned, nothing twice. The size of the whole was bounded when it was read.
 * @param mask takes secrets out of a name
 * @returns the files, and the names, cut where they are long, of those that cannot be kept under theirs
 */
export async function readArchive(
  archive: Buffer,
  mask = (name: string) => name,
): Promise<{ files: OutgoingFile[]; unnamable: string[] }> {
  const files = new Map<string, OutgoingFile>();
  const unnamable: string[] = [];
  const tar = extract();
  tar.end(archive);
  for await (const entry of tar) {
    const bytes = await buffer(entry);
    if (entry.header.type !== 'file') continue;
    const given = mask(entry.header.name);
    const name = cleanName(given);
    if (name === undefined || files.has(name)) unnamable.push(cut(given));
    else files.set(name, { name, bytes, sha256: createHash('sha256').update(bytes).digest('hex') });
  }
  return { files: [...files.values()], unnamable };
}

function cut(name: string): string {
  return name.length <= SHOWN ? name : `${name.slice(0, SHOWN)}…`;
}

/** The name as it will be known, or undefined where nothing of it is left. */
export function cleanName(name: string): string | undefined {
  const parts = name
    .normalize('NFC')
    .replaceAll(UNSAFE, '_')
    .split('/')
    .map((part) => part.trim().replace(/^\.+/, ''))
    .filter((part) => part !== '');
  const clean = parts.join('/');
  return clean === '' || clean.length > MAX_NAME ? undefined : clean;
}
