// `npm run lint:rooms`: which room may import which others (docs/contributing/seams.md, "TypeScript"). Types count like
// any other import.
const { join } = require('node:path');

/** Rooms of lib in order of dependency: a room imports earlier ones. A new room of lib is added here. */
const rooms = [
  'support',
  'native',
  'deps',
  'age',
  'stage',
  'ptx',
  'device',
  'language',
  'toolchain',
  'source',
  'archive',
  'app',
  'init',
  'watch-build',
  'reproducer',
  'remote',
  'slurm',
  'recorder',
  'replay',
  'profile',
  'capture',
  'generate',
  'adopt',
  'extract',
  'recompile',
  'validate',
  'pgo',
  'pgo-show',
  'pgo-instrument',
  'pgo-generate',
  'pgo-merge',
  'pgo-build',
  'pgo-use',
  'pgo-app',
  'pgo-app-instrument',
  'pgo-app-generate',
  'pgo-app-merge',
  'pgo-app-build',
  'pgo-app-use',
  'pgo-runtime',
  'store',
  'pack',
  'unpack',
  'push',
  'pull',
  'plot',
  'page',
  'perfetto',
  'timeline',
  'tune',
  'trace',
  'probe',
  'trace-run',
  'trace-read',
  'trace-gen',
  'trace-export',
  'trace-analyze',
  'report',
  'doctor',
  'task-inputs',
  'stages',
  'watch',
];

/** Rooms that Nx and the command line call; they import lib but not each other. */
const entrances = ['plugins', 'executors', 'generators', 'cli'];

const tests = '\\.spec\\.ts$|/testing/';
const anyOf = (names) => `(?:${names.join('|')})`;

const forbidden = [
  ...rooms.slice(0, -1).map((room, index) => ({
    name: `lib/${room} is below`,
    comment: `lint/rooms.cjs lists the rooms from the ground up, and lib/${room} stands before what it imports here: move what both need to the lower room`,
    severity: 'error',
    from: { path: `^lib/${room}/`, pathNot: tests },
    to: { path: `^lib/${anyOf(rooms.slice(index + 1))}/` },
  })),
  {
    name: 'a room without a place',
    comment: 'say in lint/rooms.cjs between which rooms it stands',
    severity: 'error',
    from: {},
    to: { path: '^lib/', pathNot: `^lib/${anyOf([...rooms, 'testing'])}/` },
  },
  {
    name: 'a room without a place, importing',
    comment: 'say in lint/rooms.cjs between which rooms it stands',
    severity: 'error',
    from: { path: '^lib/', pathNot: `^lib/${anyOf([...rooms, 'testing'])}/` },
    to: {},
  },
  {
    name: 'lib without Nx',
    comment: 'the command line works where Nx is not installed',
    severity: 'error',
    from: { path: '^lib/' },
    to: { path: '(?:^|node_modules/)(?:@nx/|nx(?:/|$))' },
  },
  {
    name: 'lib knows no entrance',
    comment: 'arrows go from plugins, executors, generators and cli to lib',
    severity: 'error',
    from: { path: '^lib/' },
    to: { path: `^${anyOf([...entrances, 'schemas', 'e2e', 'bench', 'tools'])}/` },
  },
  ...entrances.map((entrance) => ({
    name: `${entrance} stand alone`,
    comment: 'what two of them need belongs in lib; a spec may hold one to another',
    severity: 'error',
    from: { path: `^${entrance}/`, pathNot: tests },
    to: { path: `^${anyOf(entrances.filter((other) => other !== entrance))}/` },
  })),
  {
    name: 'no test in the product',
    comment: 'only specs and testing/ import testing/',
    severity: 'error',
    from: { path: `^${anyOf(['lib', ...entrances])}/`, pathNot: tests },
    to: { path: tests },
  },
  {
    name: 'no circle of files',
    comment: 'move what both need into a file of its own',
    severity: 'error',
    from: {},
    to: { circular: true },
  },
  {
    name: 'one door to processes',
    comment: 'lib/support/exec.ts starts them, and stops them',
    severity: 'error',
    from: { pathNot: '^lib/support/exec\\.ts$' },
    to: { path: '(?:^|node_modules/)execa(?:/|$)' },
  },
];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden,
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^generators/[^/]+/files/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: join(__dirname, '..', 'tsconfig.json') },
    enhancedResolveOptions: { conditionNames: ['node', 'import', 'require', 'default', 'types'] },
  },
};
