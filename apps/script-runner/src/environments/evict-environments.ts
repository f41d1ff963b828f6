import type Docker from 'dockerode';
import { statusOf, asServiceError } from '../sandbox/index.js';
import { LABEL } from './environment-images.js';

interface Candidate {
  id: string;
  bytes: number;
  usedAt: number;
}

/**
 * Removes the least recently used environments until the rest takes at most `maxBytes` without the base images. An
 * environment that a container uses stays, because Docker refuses its removal.
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

/** In ms since 1970. The types lack this field. */
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
    // 404: another runner has removed it. 409: it is in use.
    if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error;
    return statusOf(error) === 404;
  }
}

/** An image that was found counts as found for this time, in ms, because a tool may run many times a second. */
const KNOWN_MS = 1_000;

type Image = Docker.ImageInspectInfo;

/** Inspects images, each at most once a second. */
export class KnownImages {
  private readonly known = new Map<string, { until: number; image: Promise<Image | undefined> }>();

  constructor(private readonly docker: Docker) {}

  /**
   * Returns undefined if the image does not exist. This result is not cached, so that a new image is found at once.
   * @throws ToolError ServiceError
   */
  async find(name: string): Promise<Image | undefined> {
    const now = Date.now();
    for (const [old, { until }] of this.known) if (until <= now) this.known.delete(old);
    const found = this.known.get(name) ?? { until: now + KNOWN_MS, image: this.inspect(name) };
    this.known.set(name, found);
    const uncache = () => void (this.known.get(name) === found && this.known.delete(name));
    const image = await found.image.catch((cause: unknown) => {
      uncache();
      throw asServiceError('cannot look for the dependencies of the script', cause);
    });
    if (!image) uncache();
    return image;
  }

  private async inspect(name: string): Promise<Image | undefined> {
    try {
      return await this.docker.getImage(name).inspect();
    } catch (error) {
      if (statusOf(error) === 404) return undefined;
      throw error;
    }
  }
}
