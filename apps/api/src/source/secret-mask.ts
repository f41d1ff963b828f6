import { maskSecrets, readSecretFolder, type Mask } from '@errand/platform';
import { Injectable } from '@nestjs/common';
import { ApiConfiguration } from '../api-tokens.js';

/** How long the folder of the secrets is not read again, in ms. */
const FRESH_MS = 1_000;
const NO_SECRETS = maskSecrets({});

/** Masks the secrets of the operator in texts that the API keeps, as script-runners mask them in results. */
@Injectable()
export class SecretMask {
  private read: { mask: Promise<Mask>; at: number } | undefined;

  constructor(private readonly settings: ApiConfiguration) {}

  /** Whether nothing needs the mask, because the operator has given no secrets. */
  get isEmpty(): boolean {
    return this.settings.ERRAND_SECRETS_DIR === undefined;
  }

  /** The present mask. @throws Error if the folder cannot be read; the text must then not be kept */
  current(): Promise<Mask> {
    const { ERRAND_SECRETS_DIR: folder } = this.settings;
    if (folder === undefined) return Promise.resolve(NO_SECRETS);
    if (!this.read || Date.now() - this.read.at > FRESH_MS)
      this.read = { mask: readSecretFolder(folder).then(maskSecrets), at: Date.now() };
    return this.read.mask;
  }
}
