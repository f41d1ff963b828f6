import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { didYouMean, isObject, type Json, type JsonObject } from '@errand/contracts';
import type { EnvironmentVariables } from '@errand/platform';
import { parse } from 'yaml';
import { UsageError } from '../command-line.js';
import { readAddress, readKey } from './read-address.js';

/** An entry of `profiles.yaml`. */
interface Profile {
  url: string;
  key?: string;
}

const FIELDS = ['url', 'key'];
/** The permissions of users other than the owner. */
const OTHERS = 0o077;

/** The file of the profiles. The XDG specification ignores a relative folder. */
export function profilesFile(env: EnvironmentVariables): string {
  const folder = env['XDG_CONFIG_HOME'] ?? '';
  return join(isAbsolute(folder) ? folder : join(env['HOME'] || homedir(), '.config'), 'errand', 'profiles.yaml');
}

/**
 * The entry `name` of the user's profiles.
 * @throws UsageError with the file, the wrong place and the nearest name, but no key
 */
export function readProfile(name: string, env: EnvironmentVariables): Profile {
  const file = profilesFile(env);
  const { text, mode } = readPrivately(file, name);
  const profiles = parseProfiles(file, text);
  if (!Object.hasOwn(profiles, name)) throw new UsageError(unknownProfile(name, Object.keys(profiles), file));
  if (hasKey(profiles) && (mode & OTHERS) !== 0)
    throw new UsageError(
      `Other users may read ${file} (permissions ${(mode & 0o777).toString(8)}), which has keys; \`chmod 600 '${file}'\` keeps them out`,
    );
  return checkProfile(profiles[name], `Profile '${name}' in ${file}`);
}

/** The text and the permissions of the same file, even if another file gets its name meanwhile. */
function readPrivately(file: string, name: string): { text: string; mode: number } {
  let opened: number | undefined;
  try {
    opened = openSync(file, 'r');
    return { text: readFileSync(opened, 'utf8'), mode: fstatSync(opened).mode };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'it does not exist' : String(code);
    throw new UsageError(`Profile '${name}' cannot be read from ${file}: ${reason}`, { cause: error });
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

function parseProfiles(file: string, text: string): JsonObject {
  let profiles: Json;
  try {
    profiles = parse(text, { prettyErrors: false, maxAliasCount: 0 }) as Json;
  } catch (error) {
    // The message of the parser can quote a line with a key.
    const [at] = (error as { pos?: [number] }).pos ?? [];
    const line = at === undefined ? '' : `, line ${text.slice(0, at).split('\n').length}`;
    throw new UsageError(`${file}${line} is not valid YAML`);
  }
  if (!isObject(profiles)) throw new UsageError(`${file} must map names to profiles, such as prod: {url: https://…}`);
  return profiles;
}

function checkProfile(profile: Json | undefined, where: string): Profile {
  if (!isObject(profile)) throw new UsageError(`${where} must have url and key`);
  const unknown = Object.keys(profile).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined)
    // `key:secret` without a blank is a name: only its beginning may be shown.
    throw new UsageError(
      `${where} has the unknown field '${unknown.match(/^\w{0,12}/)?.[0]}': it may have url and key`,
    );
  const { url, key } = profile;
  if (typeof url !== 'string') throw new UsageError(`${where} needs a url`);
  if (key !== undefined && typeof key !== 'string') throw new UsageError(`${where} has a key that is not text`);
  return {
    url: readAddress(url, `The url of profile ${where.slice('Profile '.length)}`),
    ...(key !== undefined && { key: readKey(key, `The key of profile ${where.slice('Profile '.length)}`) }),
  };
}

const hasKey = (profiles: JsonObject) =>
  Object.values(profiles).some((profile) => isObject(profile) && Object.hasOwn(profile, 'key'));

function unknownProfile(name: string, names: readonly string[], file: string): string {
  const near = didYouMean(name, names);
  const hint = near ? `, did you mean '${near}'?` : `; it has ${names.join(', ') || 'none'}`;
  return `${file} has no profile '${name}'${hint}`;
}
