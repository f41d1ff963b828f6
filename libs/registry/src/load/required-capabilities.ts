import { didYouMean, type Problem, type SecurityContext } from '@errand/contracts';

/** `securityContext` in files. `requiredCapabilities` is the older notation of the other fields. */
export type DeclaredSecurityContext = SecurityContext & { requiredCapabilities?: string[] };

type Meaning = readonly ('network' | 'read' | 'write')[];

/** The meaning of the capabilities. Letter case and punctuation do not matter. */
const CAPABILITIES: Readonly<Record<string, Meaning>> = {
  network: ['network'],
  'network-access': ['network'],
  'network.http': ['network'],
  net: ['network'],
  internet: ['network'],
  http: ['network'],
  https: ['network'],
  'file-read': ['read'],
  'file-write': ['write'],
  'file-access': ['read', 'write'],
  'read-file': ['read'],
  'read-files': ['read'],
  'write-file': ['write'],
  'write-files': ['write'],
  'fs.read': ['read'],
  'fs.write': ['write'],
  fs: ['read', 'write'],
  'filesystem-read': ['read'],
  'filesystem-write': ['write'],
  'filesystem-access': ['read', 'write'],
  filesystem: ['read', 'write'],
};

const BY_NAME = new Map(Object.entries(CAPABILITIES).map(([name, meaning]) => [fold(name), meaning]));

/** The unknown capabilities, as JSON Pointers into the declaration of the tool. */
export function unknownCapabilities({ requiredCapabilities = [] }: DeclaredSecurityContext = {}): Problem[] {
  const known = Object.keys(CAPABILITIES);
  return requiredCapabilities.flatMap((name, index) => {
    if (BY_NAME.has(fold(name))) return [];
    const suggestion = didYouMean(name, known);
    const message = `The capability '${name.slice(0, 100)}' is not known; the known ones are ${known.join(', ')}`;
    const path = `/securityContext/requiredCapabilities/${index}`;
    return [{ path, message, ...(suggestion !== undefined && { suggestion }) }];
  });
}

/**
 * Converts capabilities to the fields with the same meaning. A capability without such a field becomes `*`: everything
 * that the operator allows to scripts.
 */
export function withCapabilities({ requiredCapabilities = [], ...context }: DeclaredSecurityContext): SecurityContext {
  const asked = new Set(requiredCapabilities.flatMap((name) => BY_NAME.get(fold(name)) ?? []));
  const { networkAccess, fileAccess } = context;
  const files = {
    ...(asked.has('read') && { allowRead: ['*'] }),
    ...(asked.has('write') && { allowWrite: ['*'] }),
    ...fileAccess,
  };
  return {
    ...context,
    ...(asked.has('network') && { networkAccess: { allowHosts: ['*'], ...networkAccess } }),
    ...(Object.keys(files).length > 0 && { fileAccess: files }),
  };
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[\s._:/-]/g, '');
}
