import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const PAUSE_MS = 1_000;

/** Has the disk take what is written to the files of a folder, every second; returns what ends that. */
export function flushRegularly(folder: string): () => void {
  let flushing: Promise<void> | undefined;
  const timer = setInterval(() => {
    // A slow disk is not asked twice at once.
    flushing ??= flushFiles(folder)
      .catch((error: Error) => process.emitWarning(error))
      .finally(() => (flushing = undefined));
  }, PAUSE_MS).unref();
  return () => clearInterval(timer);
}

/** Resolves when all that was written to the files of a folder is on the disk. */
async function flushFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = await open(join(folder, name)).catch(unlessGone);
    try {
      await file?.datasync();
    } finally {
      await file?.close();
    }
  }
}

/** The server replaces its files now and then. */
function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
