// Before each spec. In the project `unit` of jest.config.cjs, one that starts a compiler, a browser or a whole tool fails with a sentence that
// says where it belongs. A program that a spec wrote into a folder for temporary files is a fake.
const processes = require('node:child_process');
const { basename } = require('node:path');
const { tmpdir } = require('node:os');

const tool =
  /^(hipcc|clang|clang\+\+|g\+\+|gcc|c\+\+|cc|nvcc|ptxas|ld\.lld|llvm-[a-z]+|cmake|make|ninja|chromium|npm|npx|tsc)(-\d+)?$/;
const names = ['spawn', 'spawnSync', 'execFile', 'execFileSync'];
// Node's module is the worker's, which runs specs of both projects.
const starters = (processes[Symbol.for('kernloop.starters')] ??= names.map((name) => processes[name]));

/** The program itself, where lib/support/exec.ts puts another one in front of it. */
const programOf = (file, args) => (basename(file) === 'setpriv' ? args[args.indexOf('--') + 1] : file);

const refusingTools =
  (start) =>
  (file, args, ...rest) => {
    const program = programOf(String(file), Array.isArray(args) ? args : []);
    if (tool.test(basename(program)) && !program.startsWith(tmpdir()))
      throw new Error(`a unit spec starts ${program}: name the spec in \`tools\` of jest.config.cjs`);
    return start(file, args, ...rest);
  };

names.forEach((name, index) => {
  processes[name] = globalThis.mayStartTools ? starters[index] : refusingTools(starters[index]);
});
