// `npm run lint:rooms`: which room of native/ may include which others (docs/contributing/architecture.md), how many
// files a folder may have, and that events are named as in their schemas. Tests may include anything.
const { execFileSync } = require('node:child_process');
const { existsSync, readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

/**
 * Folders of a room that has several.
 * @param {string} room
 * @param {string[]} folders
 */
const of = (room, ...folders) => folders.map((folder) => `${room}/${folder}`);
const archive = (...folders) => of('archive', ...folders);
const replay = (...folders) => of('replay/core', ...folders);
/** The decoder, which all of the engine uses, and folders of the engine. */
const engine = (...folders) => ['softgpu/isa', ...of('softgpu/engine', ...folders)];

/**
 * Rooms in order of dependency, each with the rooms that it may include. The longest name that fits a file is its room.
 */
const rooms = {
  base: [],
  elf: ['base'],
  'abi/cuda': [],
  'abi/hsa': [],
  interpose: [],
  codeobject: ['base', 'elf'],
  'archive/files': ['base'],
  'archive/chunks': ['base', ...archive('files')],
  'archive/store': ['base', ...archive('files', 'chunks')],
  'archive/manifest': ['base', ...archive('files', 'chunks')],
  'archive/capture': archive('files', 'chunks', 'store', 'manifest'),
  'archive/packed': ['base', ...archive('files', 'chunks', 'manifest', 'capture')],
  'archive/upkeep': ['base', ...archive('files', 'chunks', 'store', 'capture', 'packed')],
  archive: ['base', 'codeobject', ...archive('files', 'manifest', 'capture', 'packed', 'upkeep')],
  cuda: ['abi/cuda', 'base'],
  'cuda/kernels': ['abi/cuda', 'base', 'cuda'],
  'fakes/cuda': ['abi/cuda', 'base', 'codeobject', 'cuda/kernels'],
  protocol: [],
  'capture/core': ['base', 'protocol'],
  'capture/hsa/queues': ['abi/hsa', 'capture/core'],
  'capture/hsa': ['abi/hsa', 'base', 'capture/core', 'capture/hsa/queues', 'cuda/kernels'],
  'capture/cuda/memory': ['abi/cuda', 'base', 'capture/core', 'cuda'],
  'capture/cuda/app': ['abi/cuda', 'capture/core', 'cuda', 'elf', 'capture/cuda/memory'],
  'capture/cuda/launch': [
    ...['abi/cuda', 'base', 'capture/core', 'cuda', 'cuda/kernels'],
    ...of('capture/cuda', 'memory', 'app'),
  ],
  'capture/cuda': ['base', 'capture/core', 'cuda', ...of('capture/cuda', 'memory', 'app', 'launch')],
  'capture/cuda/calls': ['base', 'capture/core', 'cuda', 'capture/cuda', 'capture/cuda/app'],
  'capture/nvrtc': ['base', 'interpose'],
  'cuda/kernels/bench': ['capture/core', 'cuda', 'cuda/kernels'],
  recorder: [...archive('files', 'manifest', 'capture', 'packed'), 'base', 'codeobject', 'elf', 'protocol'],
  'verdict/values': [...archive('manifest'), 'base'],
  verdict: [...archive('files', 'manifest', 'capture'), 'base', 'verdict/values'],
  'replay/core/device': [...archive('manifest'), 'base', 'codeobject', 'verdict', 'verdict/values'],
  'replay/core/lenses': [...archive('files', 'manifest'), 'base', 'codeobject', 'verdict', ...replay('device')],
  'replay/core/launch': [
    ...archive('manifest'),
    ...['base', 'codeobject', 'verdict', 'verdict/values'],
    ...replay('device', 'lenses'),
  ],
  'replay/core/memory': [
    ...archive('files', 'manifest'),
    ...['base', 'verdict', 'verdict/values'],
    ...replay('device', 'launch'),
  ],
  'replay/core/session': [
    ...archive('files', 'manifest', 'capture'),
    ...['base', 'verdict', 'verdict/values'],
    ...replay('device', 'lenses', 'launch', 'memory'),
  ],
  'replay/hsa': [
    ...['abi/hsa', 'base', 'codeobject', 'verdict', 'verdict/values'],
    ...replay('device', 'memory', 'session'),
  ],
  'replay/cuda': [
    ...['abi/cuda', 'base', 'codeobject', 'cuda', 'cuda/kernels', 'verdict', 'verdict/values'],
    ...replay('device', 'memory', 'session'),
  ],
  replay: [...replay('session'), 'replay/cuda', 'replay/hsa'],
  'softgpu/isa': [],
  'softgpu/engine/lanes': [],
  'softgpu/engine/wave': engine('lanes'),
  'softgpu/engine/code': engine('wave'),
  'softgpu/engine/memory': [],
  'softgpu/engine/observe': engine('lanes', 'wave', 'code', 'memory'),
  'softgpu/engine/access': engine('lanes', 'wave', 'memory', 'observe'),
  'softgpu/engine/scalar': engine('wave', 'access'),
  'softgpu/engine/vector': engine('wave'),
  'softgpu/engine/translate': engine('wave', 'code', 'access', 'vector'),
  'softgpu/engine/execute': engine('wave', 'code', 'observe', 'access', 'scalar', 'translate'),
  'softgpu/engine/schedule': engine('lanes', 'wave', 'code', 'memory', 'observe', 'access', 'execute'),
  'softgpu/engine': engine('wave', 'memory', 'observe', 'execute', 'schedule'),
  'softgpu/loader': ['base', 'elf', ...engine('code')],
  'softgpu/hsa/host': ['base', 'softgpu/engine', ...engine('translate')],
  'softgpu/hsa/memory': ['softgpu/engine', ...engine('memory'), 'softgpu/hsa/host'],
  'softgpu/hsa/queues': ['softgpu/engine', ...engine('wave', 'observe'), ...of('softgpu/hsa', 'host', 'memory')],
  'softgpu/hsa/code': [
    ...['softgpu/engine', ...engine('code'), 'softgpu/loader'],
    ...of('softgpu/hsa', 'host', 'memory', 'queues'),
  ],
  'softgpu/hsa': [
    ...['abi/hsa', 'softgpu/engine', ...engine('vector', 'schedule')],
    ...of('softgpu/hsa', 'host', 'memory', 'queues', 'code'),
  ],
  'softgpu/hip': ['abi/hsa', 'interpose'],
  'softgpu/kfd': ['base', 'softgpu/engine', ...engine('wave'), 'softgpu/hsa', ...of('softgpu/hsa', 'host', 'queues')],
  'pgo/format': ['base'],
  'pgo/collect': ['base', 'cuda', 'elf', 'interpose', 'pgo/format'],
  'pgo/runtime': ['base', 'cuda', 'elf', 'interpose', 'pgo/collect', 'pgo/format'],
  'pgo/pass/shared': [],
  'pgo/pass/generate': ['pgo/pass/shared'],
  'pgo/pass/use': ['pgo/pass/shared'],
  'pgo/pass': of('pgo/pass', 'shared', 'generate', 'use'),
  'pgo/headers': [],
  trace: ['base'],
  watch: [],
  sandbox: ['base'],
};

/** Folders that contain only tests: these include anything, and nobody includes them. */
const tests =
  /^(?:fuzz|precompiled|softgpu\/corpus|softgpu\/surface|softgpu\/engine\/instruction_list)\/|\/(?:tests?|testing)\//;

/** Unchanged headers of others, which include each other. */
const vendored = /^abi\/hsa\/vendor\//;

/** @param {string} file in native/ */
const roomOf = (file) =>
  Object.keys(rooms)
    .filter((room) => file.startsWith(`${room}/`))
    .sort((a, b) => b.length - a.length)[0];

/**
 * Violations in these files.
 * @param {Readonly<Record<string, string>>} files texts by name, in native/
 * @returns {string[]}
 */
function broken(files) {
  const wrong = [];
  for (const [file, text] of Object.entries(files)) {
    if (tests.test(file) || vendored.test(file)) continue;
    const room = roomOf(file);
    if (room === undefined) {
      wrong.push(`${file}: a room without a place: say in lint/native-rooms.cjs what it may include`);
      continue;
    }
    for (const [, name] of text.matchAll(/"event"(?:, |\] = )"(\w+)"/g)) {
      if (name !== 'error') wrong.push(`${file}: event "${name}": name it by its enumerator (base/events)`);
    }
    for (const [, included] of text.matchAll(/^[ \t]*#[ \t]*include[ \t]+"([^"]+)"/gm)) {
      const other = roomOf(included);
      if (!included.includes('/') || other === room) continue; // from the same room
      if (tests.test(included)) wrong.push(`${file}: includes ${included}, which is of the tests`);
      else if (other === undefined || !rooms[room].includes(other))
        wrong.push(`${file}: ${room} may not include ${included}: move what both need to a lower room`);
    }
  }
  return wrong;
}

/** Number of files that a reader still takes in at once. */
const mostFiles = 45;

/**
 * Folders with too many files, each as a sentence.
 * @param {readonly string[]} files in native/
 * @returns {string[]}
 */
function crowded(files) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts].flatMap(([folder, count]) =>
    count <= mostFiles
      ? []
      : [`${folder}: ${count} files, more than ${mostFiles}: divide it by what its files are about`],
  );
}

module.exports = { broken, crowded, mostFiles, rooms };

if (require.main === module) {
  const native = join(__dirname, '..', 'native');
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '.'], { cwd: native, encoding: 'utf8' });
  // Deleted files are still in git's index.
  const files = listed.split('\n').filter((file) => file !== '' && existsSync(join(native, file)));
  const texts = files
    .filter((file) => /\.(?:cpp|h|def|cu|S)$/.test(file))
    .map((file) => [file, readFileSync(join(native, file), 'utf8')]);
  const wrong = [...broken(Object.fromEntries(texts)), ...crowded(files)];
  for (const line of wrong) console.error(`native/${line}`);
  if (wrong.length > 0) process.exitCode = 1;
  else console.log(`✔ no native room includes one that it may not, and none is crowded (${texts.length} files)`);
}
