import { API_SETTINGS, type EnvironmentVariables } from '@errand/platform';
import { findRunningStack } from '../running-stack.js';
import { shellWord } from '../terminal.js';
import { UsageError } from '../command-line.js';
import { UnreachableError } from './client-errors.js';
import { readAddress, readKey } from './read-address.js';
import { readProfile } from './read-profiles.js';

/** The options that name an Errand. */
export interface TargetOptions {
  url?: string;
  key?: string;
  profile?: string;
  /** In seconds. */
  timeout?: string;
}

/** An API and the way to talk to it. */
export interface Target {
  url: string;
  key?: string;
  /** How long a response may take, in ms. */
  timeoutMs: number;
  /** The options that name the same API in another command, with a blank before each. Never a key. */
  again: string;
}

const DEFAULT_SECONDS = '30';
const MOST_SECONDS = 86_400;

/**
 * The Errand that the options, else the environment, else the running stack name. docs/command-line.md has the order.
 * @throws UsageError for a wrong value
 * @throws UnreachableError if nothing names an Errand and no stack runs
 */
export function requireTarget(options: TargetOptions, env: EnvironmentVariables): Target {
  const target = namedTarget(options, env) ?? localTarget(options, env);
  if (target) return target;
  throw new UnreachableError(
    'Errand is not running',
    'start it with `./errand up` in another terminal, or name another one with --url, --profile or ERRAND_URL',
  );
}

/** The Errand that the options or the environment name; undefined if they name none. */
export function namedTarget(options: TargetOptions, env: EnvironmentVariables): Target | undefined {
  const timeoutMs = readTimeout(options.timeout);
  const named = options.profile === undefined ? undefined : readProfile(options.profile, env);
  const usual = named || !env['ERRAND_PROFILE'] ? undefined : readProfile(env['ERRAND_PROFILE'], env);
  const url = addressOf(options.url, '--url') ?? named?.url ?? addressOf(env['ERRAND_URL'], 'ERRAND_URL') ?? usual?.url;
  if (url === undefined) return undefined;
  // The key of a profile is for its own host.
  const keyFor = (profile: typeof named) =>
    profile && new URL(profile.url).origin === new URL(url).origin ? profile.key : undefined;
  const key = givenKey(options.key, '--key') ?? keyFor(named) ?? environmentKey(env) ?? keyFor(usual);
  return { url, timeoutMs, again: optionsAgain(options), ...(key !== undefined && { key }) };
}

/** The running stack of the data folder. */
export function localTarget(options: TargetOptions, env: EnvironmentVariables): Target | undefined {
  const stack = findRunningStack(env['ERRAND_DATA_DIR'] || '.errand');
  return stack && targetOf(stack.url, env, options);
}

/** A stack of this machine. Its keys are in ERRAND_API_KEYS. */
export function targetOf(url: string, env: EnvironmentVariables, options: TargetOptions = {}): Target {
  const key = givenKey(options.key, '--key') ?? environmentKey(env) ?? firstOf(env['ERRAND_API_KEYS']);
  return {
    url,
    timeoutMs: readTimeout(options.timeout),
    again: optionsAgain(options),
    ...(key !== undefined && { key }),
  };
}

function addressOf(text: string | undefined, from: string): string | undefined {
  // An empty setting counts as unset; an empty option is wrong.
  return text === undefined || (text === '' && from !== '--url') ? undefined : readAddress(text, from);
}

const givenKey = (text: string | undefined, from: string) => (text === undefined ? undefined : readKey(text, from));
const environmentKey = (env: EnvironmentVariables) => givenKey(env['ERRAND_API_KEY'] || undefined, 'ERRAND_API_KEY');

function firstOf(keys: string | undefined): string | undefined {
  if (!keys) return undefined;
  try {
    return API_SETTINGS.ERRAND_API_KEYS.parse(keys)[0]?.key;
  } catch (error) {
    throw new UsageError(`ERRAND_API_KEYS: ${(error as Error).message}`);
  }
}

function readTimeout(text = DEFAULT_SECONDS): number {
  const seconds = /^\d{1,5}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (seconds > 0 && seconds <= MOST_SECONDS) return seconds * 1_000;
  throw new UsageError(`--timeout must be a number of seconds above 0, at most ${MOST_SECONDS}, not '${text}'`);
}

function optionsAgain({ url, profile }: TargetOptions): string {
  return [
    ...(profile === undefined ? [] : [` --profile ${shellWord(profile)}`]),
    ...(url === undefined ? [] : [` --url ${shellWord(url)}`]),
  ].join('');
}
