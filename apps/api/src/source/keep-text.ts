import { MOST_SOURCE_BYTES, type SourceText } from '@errand/queue';
import { Injectable } from '@nestjs/common';
import { ApiConfiguration, ApiLogger } from '../api-tokens.js';
import { SecretMask } from './secret-mask.js';

/** Decides which texts are kept with their invocations, and masks them. */
@Injectable()
export class KeepText {
  constructor(
    private readonly settings: ApiConfiguration,
    private readonly masks: SecretMask,
    private readonly logger: ApiLogger,
  ) {}

  /** The text as it is kept; undefined if it is not: ERRAND_KEEP_TEXT is false, or it is too long. Never fails. */
  async keep(text: string, protocol: string): Promise<SourceText | undefined> {
    if (!this.settings.ERRAND_KEEP_TEXT || text.length > MOST_SOURCE_BYTES) return undefined;
    try {
      const masked = this.masks.isEmpty ? text : (await this.masks.current()).text(text);
      return Buffer.byteLength(masked) > MOST_SOURCE_BYTES ? undefined : { text: masked, protocol };
    } catch (error) {
      this.logger.warn({ err: error }, 'a text is not kept because the secrets cannot be read');
      return undefined;
    }
  }
}
