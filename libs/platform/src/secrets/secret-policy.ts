/** The secrets that each tool may get. */
export interface SecretPolicy {
  allows(toolId: string, name: string): boolean;
}

const ENTRY = /^([\w.:*-]+)=([A-Z_][A-Z0-9_]*(?:,[A-Z_][A-Z0-9_]*)*)$/;

/**
 * Parses `ERRAND_SECRETS_ALLOW`: entries such as `weather:now=API_KEY` or `text:*=API_KEY,OTHER_KEY`. A `*` matches any
 * part of a tool's id. Names of secrets have no wildcard.
 * @throws Error that names the wrong entry
 */
export function parseSecretPolicy(entries: readonly string[]): SecretPolicy {
  const rules = entries.map((entry) => {
    const [, tools, names] = ENTRY.exec(entry) ?? [];
    if (tools === undefined || names === undefined) {
      throw new Error(`'${entry}' must say which tools get which secrets, such as weather:now=API_KEY`);
    }
    const pattern = tools
      .split('*')
      .map((part) => part.replaceAll(/[.-]/g, '\\$&'))
      .join('.*');
    return { tools: new RegExp(`^${pattern}$`), names: names.split(',') };
  });
  return { allows: (toolId, name) => rules.some(({ tools, names }) => tools.test(toolId) && names.includes(name)) };
}
