/**
 * Whether a name matches a pattern in which `*` matches any characters, such as `kb:*`. Linear time in the name for
 * each `*`.
 */
export function matchesGlob(name: string, pattern: string): boolean {
  const parts = pattern.split('*');
  const [first = ''] = parts;
  const last = parts.at(-1) ?? '';
  if (parts.length === 1) return name === pattern;
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
