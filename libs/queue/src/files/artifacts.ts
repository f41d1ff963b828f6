import type { Artifact } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { contentTypeOf } from './content-type.js';
import { keysOf } from '../redis/names.js';
import { openLife } from '../state/open-life.js';

/** A file that a script has written for its caller. */
interface OutputFile {
  /** A relative path with `/`, without `.` and `..` segments. */
  name: string;
  bytes: Buffer;
  sha256: string;
}

const fieldOf = (step: number, name: string) => `${step}/${name}`;

/**
 * Stores the output files of a step's script. They are removed with the other data of the invocation. A file replaces an earlier one of the same
 * step and name, for example from a failed attempt or from another script of the same workflow.
 */
export async function storeArtifacts(
  { redis, retention }: Queues,
  { id, step }: { id: string; step: number },
  files: readonly OutputFile[],
): Promise<void> {
  const keys = keysOf(redis);
  if (files.length === 0) return;
  const pipeline = redis.pipeline();
  for (const { name, bytes, sha256 } of files) {
    const artifact: Artifact = { name, size: bytes.length, contentType: contentTypeOf(name), sha256, step };
    pipeline.hset(keys.artifactBytes(id), fieldOf(step, name), bytes);
    pipeline.hset(keys.artifacts(id), fieldOf(step, name), JSON.stringify(artifact));
  }
  for (const key of [keys.artifacts(id), keys.artifactBytes(id)]) pipeline.expire(key, openLife(retention));
  for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
}

/** The artifacts of an invocation so far, sorted by step and name. */
async function listArtifacts({ redis }: Queues, id: string): Promise<Artifact[]> {
  const keys = keysOf(redis);
  return toArtifacts(await redis.hvals(keys.artifacts(id)));
}

/** Parses stored artifacts. Sorts them by step and name. */
export function toArtifacts(rows: readonly string[]): Artifact[] {
  const artifacts = rows.map((json): Artifact => JSON.parse(json));
  return artifacts.toSorted((a, b) => a.step - b.step || (a.name < b.name ? -1 : 1));
}

/** An artifact with its bytes. Undefined if no artifact has that name (and step). */
export async function readArtifact(
  queues: Queues,
  id: string,
  name: string,
  step?: number,
): Promise<{ artifact: Artifact; bytes: Buffer } | undefined> {
  const keys = keysOf(queues.redis);
  const found = (await listArtifacts(queues, id)).find(
    (artifact) => artifact.name === name && (step === undefined || artifact.step === step),
  );
  const bytes = found && (await queues.redis.hgetBuffer(keys.artifactBytes(id), fieldOf(found.step, name)));
  return found && bytes ? { artifact: found, bytes } : undefined;
}
