import { isDeeperThan, MAX_DEPTH, type Json } from '@errand/contracts';

/** Reads a response body by its bytes and its content-type. @throws Error with the reason if it cannot be read */
type Reader = (bytes: Buffer, contentType: string) => Json;

const JSON_TYPE = /^application\/(json|[^;\s]+\+json)\s*(;|$)/i;
const TEXT_TYPE = /^(text\/|application\/(xml|[^;\s]+\+xml|javascript|x-www-form-urlencoded|yaml|x-ndjson)\s*(;|$))/i;

export const READERS: Record<string, Reader> = {
  auto: readByType,
  json: readJson,
  text: readText,
  base64: (bytes) => bytes.toString('base64'),
};

function readByType(bytes: Buffer, contentType: string): Json {
  if (bytes.length === 0) return null;
  if (JSON_TYPE.test(contentType)) return readJson(bytes);
  if (TEXT_TYPE.test(contentType)) return readText(bytes, contentType);
  const text = contentType === '' ? textOf(bytes, 'utf-8') : undefined;
  return text ?? bytes.toString('base64');
}

function readJson(bytes: Buffer): Json {
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    throw new Error(
      `the response is not JSON (${error instanceof Error ? error.message : String(error)}); read it with responseType text`,
      { cause: error },
    );
  }
  if (isDeeperThan(value)) throw new Error(`the response nests deeper than ${MAX_DEPTH} levels`);
  return value;
}

function readText(bytes: Buffer, contentType: string): string {
  const [, charset = 'utf-8'] = /;\s*charset="?([^;"\s]+)/i.exec(contentType) ?? [];
  const text = textOf(bytes, charset);
  if (text !== undefined) return text;
  throw new Error(`the response is not text in ${charset}; read it with responseType base64`);
}

/** Undefined if the encoding is unknown or the bytes do not fit it. */
function textOf(bytes: Buffer, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
