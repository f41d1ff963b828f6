import type Docker from 'dockerode';
import { statusOf } from '../sandbox/index.js';
import { LABEL } from './environment-images.js';

interface Candidate {
  id: string;
  bytes: number;
  usedAt: number;
}

/**
 * Removes environments, those that were longest unused first, until the rest takes no more than `maxBytes` beyond the images that
 * they stand upon. One that a container uses stays: the engine refuses its removal.
 */
export async function evictEnvironments(
  docker: Docker,
  { maxBytes, keep }: { maxBytes: number; keep: string },
): Promise<void> {
  const candidates = await candidatesOf(docker, keep);
  let total = candidates.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { id, bytes } of candidates.toSorted((a, b) => a.usedAt - b.usedAt)) {
    if (total <= maxBytes) return;
    if (await removed(docker, id)) total -= bytes;
  }
}

async function candidatesOf(docker: Docker, keep: string): Promise<Candidate[]> {
  const images = await docker.listImages({ filters: { label: [LABEL] } });
  const candidates: Candidate[] = [];
  for (const image of images) {
    if (image.Labels[LABEL] === keep) continue;
    const inspected = await docker.getImage(image.Id).inspect();
    const { Size, Parent } = inspected;
    const base = Parent === '' ? 0 : (await docker.getImage(Parent).inspect()).Size;
    candidates.push({
      id: image.Id,
      bytes: Size - base,
      usedAt: lastTagged(inspected) ?? image.Created * 1_000,
    });
  }
  return candidates;
}

/** In ms since 1970; the types do not know of it. */
function lastTagged(inspected: object): number | undefined {
  const { Metadata: metadata } = inspected as { Metadata?: { LastTagTime?: string } };
  const time = Date.parse(metadata?.LastTagTime ?? '');
  return Number.isNaN(time) ? undefined : time;
}

async function removed(docker: Docker, id: string): Promise<boolean> {
  try {
    await docker.getImage(id).remove();
    return true;
  } catch (error) {
    // 404: another runner was quicker. 409: it is in use.
    if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error;
    return statusOf(error) === 404;
  }
}
