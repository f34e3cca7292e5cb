// The native core's build folder, native/build: what is configured there, and building it. `node tools/native.mjs` configures it whole and
// for people who edit it, as `npm run build:native` wants it; `node tools/native.mjs rest` builds what quickstart leaves out.
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { root, runMain, step } from './console.mjs';

const folder = join(root, 'native', 'build');
const bytesPerCompiler = 1.5 * 2 ** 30;

/** Everything: the software GPU for each kind of processor, and the tests. */
const whole = { KERNLOOP_TESTS: 'ON', KERNLOOP_VECTOR_BUILDS: 'baseline;v3;v4' };
/** What this machine needs to run kernloop. */
const products = { KERNLOOP_TESTS: 'OFF', KERNLOOP_VECTOR_BUILDS: 'host' };
/** A folder is made in batches, as soon as can be; people who edit ask for every file by itself, so that an edit is compiled soon. */
const inBatches = { KERNLOOP_UNITY: 'ON' };
const eachFile = { KERNLOOP_UNITY: 'OFF' };

/** What a release holds; batches change nothing of it: code that must be fast is never compiled in them. */
const released = {
  CMAKE_BUILD_TYPE: 'Release',
  KERNLOOP_STATIC_DEPENDENCIES: 'ON',
  KERNLOOP_VECTOR_BUILDS: whole.KERNLOOP_VECTOR_BUILDS,
};

/** The settings of native/build; undefined where there is none. */
export function configured() {
  const cache = join(folder, 'CMakeCache.txt');
  if (!existsSync(cache) || !existsSync(join(folder, 'build.ninja'))) return undefined;
  const text = readFileSync(cache, 'utf8');
  const value = (name) => new RegExp(`^${name}:[A-Z]+=(.*)$`, 'm').exec(text)?.[1];
  // Folders of before there was a choice have no such entry, and everything.
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

/** What the folder has beside stays: batches, or each file by itself. */
async function configureWhole() {
  const now = configured();
  if (!has(now, whole)) await configure(now ? whole : { ...whole, ...inBatches });
}

async function configureForEdits() {
  const wanted = { ...whole, ...eachFile };
  if (!has(configured(), wanted)) await configure(wanted);
}

/** "[120/300] Building …" of ninja, as words. */
const progress = (line) => line.replace(/^\[(\d+)\/(\d+)\].*/, '$1 of $2 steps');

const jobs = () => String(Math.max(1, Math.min(availableParallelism(), Math.floor(totalmem() / bytesPerCompiler))));

/** Whoever builds in the folder takes turns with others: stages ask for the rest of it, several of them at once. */
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
 * The programs and libraries of the core, for this machine's processor; a folder that has more stays as it is. Once the rest was built, it is
 * kept as new as the core.
 */
export async function buildCore() {
  if (configured() === undefined) await configure({ ...products, ...inBatches });
  await build([someOfTheRestIsThere() ? 'products' : 'core']);
}

/** `node tools/native.mjs rest`, which a stage runs that needs it (lib/deps/built-native.ts). */
async function buildRest() {
  await build(['rest'], 'native core: rest');
}

/** Programs and libraries for all machines: of the build that `npm test` left, nothing is compiled again. */
export async function buildForEveryProcessor() {
  const now = configured();
  if (!has(now, released)) await configure(now ? released : { ...products, ...released, ...inBatches });
  await build(['products']);
}

export async function buildWhole() {
  await configureWhole();
  await build([]);
}

if (process.argv[1] === new URL(import.meta.url).pathname)
  await runMain(process.argv[2] === 'rest' ? buildRest : configureForEdits);
