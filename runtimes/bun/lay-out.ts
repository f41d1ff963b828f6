import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const SCRIPT_ROOT = '/script';

export interface File {
  path: string;
  base64: string;
}

/** Writes the script's folder, then makes its files and folders read-only. */
export function layOut(files: File[], inFolder?: string): void {
  const folders = new Set([SCRIPT_ROOT]);
  if (inFolder) {
    mkdirSync(inFolder);
    folders.add(inFolder);
  }
  for (const file of files) {
    const path = join(SCRIPT_ROOT, file.path);
    mkdirSync(dirname(path), { recursive: true });
    for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
    writeFileSync(path, Buffer.from(file.base64, 'base64'), { mode: 0o444, flag: 'wx' });
  }
  for (const folder of folders) chmodSync(folder, 0o555);
}
