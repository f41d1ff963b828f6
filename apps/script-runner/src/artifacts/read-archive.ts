import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { extract } from 'tar-stream';

const MAX_NAME = 200;
const SHOWN = 40;
/** Characters that are replaced. The others are safe in a URL, a header and a file name of any system. */
const UNSAFE = /[^\p{L}\p{N} ._()@+=,/-]/gu;

/** A file that a script returned. */
interface OutgoingFile {
  /** A relative path with `/`. No part is empty or begins with a dot. */
  name: string;
  bytes: Buffer;
  sha256: string;
}

/**
 * Reads the files of an archive from a sandbox. A script can have forged it, so this keeps only regular files, cleans the
 * names, and takes each name once. The total size was bounded when the archive was read.
 * @param mask removes secrets from a name
 * @returns the files, and the names of the files that cannot keep their name; long names are cut
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

/** Returns the cleaned name, or undefined if it is empty or too long. */
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
