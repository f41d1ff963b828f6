const SHAPE = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
/** The bounds of Standard Webhooks. */
const MIN_BYTES = 24;
const MAX_BYTES = 64;

/**
 * Checks a secret of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64.
 * @throws Error that says what is wrong, but does not contain the text
 */
export function parseWebhookSecret(text: string): string {
  const bytes = Buffer.from(SHAPE.exec(text)?.[1] ?? '', 'base64').length;
  if (bytes >= MIN_BYTES && bytes <= MAX_BYTES) return text;
  throw new Error(
    `must be whsec_ and ${MIN_BYTES} to ${MAX_BYTES} bytes in base64, such as \`echo whsec_$(openssl rand -base64 32)\` makes`,
  );
}

/**
 * Reads secrets that are separated by blanks. Each of them signs, so that a receiver may know the old or the new one.
 */
export function parseWebhookSecrets(text: string): string[] {
  const secrets = text.split(/\s+/).filter((part) => part !== '');
  if (secrets.length === 0) throw new Error('must hold a secret');
  return secrets.map(parseWebhookSecret);
}
