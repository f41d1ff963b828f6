import type Docker from 'dockerode';
import { asServiceError, statusOf } from '../sandbox/index.js';

/** For so long an image that was there is taken to be there, in ms: a tool may run many times a second. */
const KNOWN_MS = 1_000;

type Image = Docker.ImageInspectInfo;

/** What the engine knows of images, asked for at most once a second each. */
export class KnownImages {
  private readonly known = new Map<string, { until: number; image: Promise<Image | undefined> }>();

  constructor(private readonly docker: Docker) {}

  /**
   * Undefined where there is no such image: whoever has made one since is believed at once.
   * @throws ToolError ServiceError
   */
  async find(name: string): Promise<Image | undefined> {
    const now = Date.now();
    for (const [old, { until }] of this.known) if (until <= now) this.known.delete(old);
    const found = this.known.get(name) ?? { until: now + KNOWN_MS, image: this.inspect(name) };
    this.known.set(name, found);
    const forget = () => void (this.known.get(name) === found && this.known.delete(name));
    const image = await found.image.catch((cause: unknown) => {
      forget();
      throw asServiceError('cannot look for the dependencies of the script', cause);
    });
    if (!image) forget();
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
