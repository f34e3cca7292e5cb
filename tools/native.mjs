// Configures and builds the native core in native/build. `node tools/native.mjs` configures all of it for people who
// edit it, as `npm run build:native` needs; `node tools/native.mjs rest` builds the products that quickstart leaves
// out.
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { root, runMain, step } from './console.mjs';

const folder = join(root, 'native', 'build');
const bytesPerCompiler = 1.5 * 2 ** 30;

/** Full configuration: the software GPU for each kind of processor, and the tests. */
const whole = {
  KERNLOOP_TESTS: 'ON',
  KERNLOOP_VECTOR_BUILDS: 'baseline;v3;v4',
  KERNLOOP_TRANSLATOR: 'ON',
  KERNLOOP_QUICK: 'OFF',
};
/**
 * What `npm test` builds. The software GPU for this machine's kind of processor is compared with the baseline; the
 * nightly tests compare all kinds.
 */
const tested = { ...whole, KERNLOOP_VECTOR_BUILDS: 'baseline;host' };
/** Configuration that suffices to run kernloop on this machine, and compiles in little time. */
const products = {
  KERNLOOP_TESTS: 'OFF',
  KERNLOOP_VECTOR_BUILDS: 'host',
  KERNLOOP_TRANSLATOR: 'OFF',
  KERNLOOP_QUICK: 'ON',
};
/**
 * The first build uses batches, which are faster; people who edit get separate files, so that an edit compiles fast.
 */
const inBatches = { KERNLOOP_UNITY: 'ON' };
const eachFile = { KERNLOOP_UNITY: 'OFF' };

/**
 * Configuration of a release; batches do not change its code, because code that must be fast is never compiled in them.
 */
const released = {
  CMAKE_BUILD_TYPE: 'Release',
  KERNLOOP_STATIC_DEPENDENCIES: 'ON',
  KERNLOOP_VECTOR_BUILDS: whole.KERNLOOP_VECTOR_BUILDS,
  KERNLOOP_TRANSLATOR: whole.KERNLOOP_TRANSLATOR,
  KERNLOOP_QUICK: whole.KERNLOOP_QUICK,
};

/** Settings of native/build; undefined if it is not configured. */
export function configured() {
  const cache = join(folder, 'CMakeCache.txt');
  if (!existsSync(cache) || !existsSync(join(folder, 'build.ninja'))) return undefined;
  const text = readFileSync(cache, 'utf8');
  const value = (name) => new RegExp(`^${name}:[A-Z]+=(.*)$`, 'm').exec(text)?.[1];
  // Folders configured before there was a choice have no such entry, and build everything.
  return Object.fromEntries(
    Object.entries({ ...released, ...whole, ...eachFile }).map(([name, before]) => [name, value(name) ?? before]),
  );
}

const has = (settings, wanted) => Object.entries(wanted).every(([name, value]) => settings?.[name] === value);

function configure(settings) {
  const values = { CMAKE_BUILD_TYPE: 'Release', ...settings };
  const definitions = Object.entries(values).map(([name, value]) => `-D${name}=${value}`);
  return step('native core: configure', 'cmake', ['-S', 'native', '-B', 'native/build', '-G', 'Ninja', ...definitions]);
}

/** Keeps the folder's other setting: batches or separate files. A folder with more than is wanted stays as it is. */
async function configureFor(wanted) {
  const now = configured();
  if (!has(now, wanted) && !has(now, whole)) await configure(now ? wanted : { ...wanted, ...inBatches });
}

async function configureForEdits() {
  const wanted = { ...whole, ...eachFile };
  if (!has(configured(), wanted)) await configure(wanted);
}

/** Progress of ninja ("[120/300] Building …") as words. */
const progress = (line) => line.replace(/^\[(\d+)\/(\d+)\].*/, '$1 of $2 steps');

const jobs = () => String(Math.max(1, Math.min(availableParallelism(), Math.floor(totalmem() / bytesPerCompiler))));

/** Builds under a lock: several stages may request the rest at once. */
function build(targets, name = 'native core') {
  // Not `cmake --build`: ninja stops its compilers when it is stopped.
  const ninja = ['ninja', '-C', 'native/build', '-j', jobs(), ...targets];
  return step(name, 'flock', ['--no-fork', 'native/build/.kernloop-lock', ...ninja], { progress });
}

const listed = (list) => JSON.parse(readFileSync(join(root, 'lib', 'native', list), 'utf8'));

function someOfTheRestIsThere() {
  const core = listed('core-products.json');
  return Object.entries(listed('native-products.json')).some(
    ([name, file]) => !core.includes(name) && existsSync(join(folder, file)),
  );
}

/**
 * Builds programs and libraries of the core for this machine's processor; a folder with more stays as it is. Once the
 * rest was built, it is kept up to date with the core.
 */
export async function buildCore() {
  if (configured() === undefined) await configure({ ...products, ...inBatches });
  await build([someOfTheRestIsThere() ? 'products' : 'core']);
}

/** `node tools/native.mjs rest`, started by a stage that needs the rest (lib/deps/built-native.ts). */
async function buildRest() {
  await build(['rest'], 'native core: rest');
}

/** Builds programs and libraries for all machines. The build that the nightly tests left is reused completely. */
export async function buildForEveryProcessor() {
  const now = configured();
  if (!has(now, released)) await configure(now ? released : { ...products, ...released, ...inBatches });
  await build(['products']);
}

export async function buildTested({ all }) {
  await configureFor(all ? whole : tested);
  await build(all ? ['all', 'benches'] : []);
}

if (process.argv[1] === new URL(import.meta.url).pathname)
  await runMain(process.argv[2] === 'rest' ? buildRest : configureForEdits);
