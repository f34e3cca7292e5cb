import type { Environment } from '../support/environment';
import { closest, misspelt } from '../support/error';
import { formerVerbs } from './former-verbs';
import options from './option-variables.json';

const prefix = 'KERNLOOP_';

/** Variables that set no option, without their prefix: those for users, and those that one part sets for another. */
const others: readonly string[] = [
  ...['COMPILER', 'NVRTC', 'LLVM', 'PYTHON', 'NATIVE_DIR', 'HSA_RUNTIME', 'CUPTI', 'NVRTC_RECORD', 'TRITON_RECORD'],
  ...['AGE_IDENTITY', 'AGE_RECIPIENTS', 'STORE_AUTHORIZATION', 'RUNNER', 'PROGRESS'],
  ...['THREADS', 'SEED', 'MAX_INSTRUCTIONS', 'CHECK', 'FATAL', 'LEVEL', 'LINUX', 'TRANSLATE', 'TRANSLATE_KEEP'].map(
    (name) => `SOFTGPU_${name}`,
  ),
  ...['LLVM', 'LOG', 'HOSTILE', 'API_TABLES'].map((name) => `SOFTGPU_${name}`),
];
const internal: readonly string[] = [
  ...['RECORDER_SOCKET', 'LOG_FILE', 'UNTRACKED_MEMORY', 'NVRTC_DIR', 'TRITON_DIR', 'TRITON_MATCH', 'TRITON_SOFTGPU'],
  ...['WATCH_DIR', 'PGO_RUNTIME', 'REPLAY_RESTARTED', 'DEVICE_POOL', 'COMMAND_INPUTS', 'COMMAND_BEGAN'],
  ...['NAMED_DEVICES', 'TRACKED_VARIANTS', 'NATIVE_DIGEST', 'NATIVE_REST_DIGEST', 'PACKAGE_DIGEST', 'TOOLCHAIN'],
  ...['PGO_TOOLCHAIN', 'CUDA_DRIVER', 'NVML', 'RING_BYTES', 'ACCESS_LOG'],
];
/** Beginnings of names that only the fake driver, the plugin's identities, tests and benches have. */
const families =
  /^(?:FAKE_CUDA|DEVICE_ID|TEST|BENCH|MOMENTS|DOCS|UPDATE_DOCS|KILL|FUZZ|ISA|STREAMS?|CHROMIUM|DEBIAN_MIRROR|PGO_TESTS)(?:_|$)/;

const forUsers: readonly string[] = [...options.map((name) => name.slice(prefix.length)), ...others];
const known: ReadonlySet<string> = new Set([...forUsers, ...internal]);

export const isKnownVariable = (variable: string): boolean => {
  const name = variable.slice(prefix.length);
  return known.has(name) || families.test(name);
};

/** Name of a variable, without its prefix, whose stage had another name before. */
function formerVariable(name: string): string | undefined {
  const inName = (verb: string): string => `${verb.replaceAll('-', '_').toUpperCase()}_`;
  const [former, now] = Object.entries(formerVerbs).find(([verb]) => name.startsWith(inName(verb))) ?? [];
  return former && now && `${inName(now)}${name.slice(inName(former).length)}`;
}

/** Warnings about variables that are set and that nothing reads, with the nearest that something does. */
export function unknownVariables(env: Environment): string[] {
  return Object.keys(env)
    .filter((variable) => variable.startsWith(prefix) && env[variable] && !isKnownVariable(variable))
    .sort()
    .map((variable) => {
      const name = variable.slice(prefix.length);
      const [typed, former] = [misspelt(name, forUsers), formerVariable(name)];
      const known = former === undefined ? typed : [former];
      const near = (known.length > 0 ? known : closest(name, forUsers)).map((each) => `${prefix}${each}`);
      const meant = near.length > 0 ? `: did you mean ${near.join(' or ')}?` : '';
      return `${variable} is set, and nothing reads it${meant}`;
    });
}
