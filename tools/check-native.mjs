// `node tools/check-native.mjs address|undefined|thread|odr|tidy [NAME…]`: compiler checks of native/ that take too
// long for every push (docs/contributing/robustness.md). The sanitizers build the tests that start no other programs in
// a separate folder and run them, or those of the NAMEs (`elf_test`); odr links the products with -Wodr under LTO, or
// the targets NAMEd; tidy reads all sources, or those whose path contains a NAME. Findings give exit code 1.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, runMain, step, StepError } from './console.mjs';

const native = join(root, 'native');

/**
 * Tests of code inside their own process: tests of agents load them into programs built without the sanitizer. Tests of
 * the software GPU's engine are left out, because its vector code takes a sanitizer hours to compile.
 */
const own = [
  ...[
    'archive_test',
    'base_test',
    'capture_test',
    'codeobject_test',
    'cuda_capture_unit_test',
    'cuda_test',
    'elf_test',
  ],
  ...[
    'pgo_format_test',
    'pgo_runtime_parts_test',
    'recorder_test',
    'replay_cuda_plan_test',
    'replay_test',
    'softgpu_isa_test',
    'trace_test',
  ],
];
// Single-threaded tests, in which the thread sanitizer can find nothing.
const withoutThreads = new Set(['base_test', 'codeobject_test', 'elf_test', 'softgpu_isa_test']);

/** Environment that makes the sanitizers fail, except for known findings that are no defects. */
const environment = {
  // Programs end while static objects still own memory; the tests of the archive and recorder count leaks that grow.
  address: { ASAN_OPTIONS: 'detect_leaks=0:abort_on_error=0:allocator_may_return_null=1' },
  undefined: { UBSAN_OPTIONS: 'print_stacktrace=1:halt_on_error=1' },
  thread: { TSAN_OPTIONS: 'halt_on_error=0:exitcode=66:second_deadlock_stack=1' },
};

async function configure(kind) {
  const build = join(native, `build-${kind}`);
  await step(`configure ${kind}`, 'cmake', ['--preset', kind], { cwd: native });
  return build;
}

async function sanitize(kind, names) {
  const unknown = names.find((name) => !own.includes(name));
  if (unknown !== undefined)
    throw new StepError(`no such test for sanitizers: ${unknown}`, `there are ${own.join(', ')}`, 2);
  const tests = names.length > 0 ? names : own.filter((name) => kind !== 'thread' || !withoutThreads.has(name));
  const build = await configure(kind);
  await step(`build with -fsanitize=${kind}`, 'cmake', ['--build', build, '-j', '2', '--target', ...tests]);
  let failed = 0;
  for (const test of tests) {
    const { code } = await step(`${kind}: ${test}`, join(build, 'bin', test), ['--gtest_brief=1'], {
      env: environment[kind],
      allowFailure: true,
    });
    if (code !== 0) failed += 1;
  }
  return failed;
}

async function oneDefinition(names) {
  const build = await configure('odr');
  const targets = names.length > 0 ? names : ['products'];
  await step('link with -Wodr under LTO', 'cmake', ['--build', build, '-j', '2', '--target', ...targets]);
  return 0;
}

async function tidy(names) {
  const program = ['clang-tidy-22', 'clang-tidy'].find((name) => existsSync(join('/usr/bin', name)));
  if (program === undefined) throw new StepError('no clang-tidy was found', 'apt-get install clang-tidy-22', 5);
  const build = await configure('tidy');
  const commands = JSON.parse(readFileSync(join(build, 'compile_commands.json'), 'utf8'));
  const files = [...new Set(commands.map(({ file }) => file))]
    .filter((file) => file.startsWith(native) && !file.startsWith(build))
    .filter((file) => !/\/(?:tests?|testing|precompiled)\/|\.S$/.test(file))
    .filter((file) => names.length === 0 || names.some((name) => file.includes(name)))
    .sort();
  if (files.length === 0) throw new StepError('no source has such a name', 'give a part of a path', 2);
  // Clang counts the steps of a constant expression more finely than GCC, which compiles the tables.
  const args = ['-p', build, '--quiet', '--warnings-as-errors=*', '--extra-arg=-fconstexpr-steps=100000000'];
  const half = Math.ceil(files.length / 2);
  const ends = await Promise.all(
    [files.slice(0, half), files.slice(half)].map((part, index) =>
      step(`tidy ${index + 1}: ${part.length} files`, program, [...args, ...part], { allowFailure: true }),
    ),
  );
  for (const { code, tail } of ends) if (code !== 0) console.log(tail.join('\n'));
  return Math.max(...ends.map(({ code }) => code));
}

await runMain(async () => {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [kind, ...names] = positionals;
  const checks = { odr: oneDefinition, tidy };
  const check = kind in environment ? (given) => sanitize(kind, given) : checks[kind];
  if (check === undefined)
    throw new StepError(`no check ${kind}`, 'there are address, undefined, thread, odr, tidy', 2);
  const found = await check(names);
  console.log(found === 0 ? `${kind}: nothing was found` : `${kind}: see .kernloop/logs`);
  return found === 0 ? 0 : 1;
});
