import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { installed, nativeDirectory, repository, run, type Outcome } from './harness';

interface Manifest {
  version: string;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  devDependencies?: object;
  scripts?: object;
  peerDependenciesMeta?: Record<string, { optional: boolean }>;
}

const kernloop = join(installed, 'kernloop');
const native = join(installed, '@kernloop', 'native-linux-x64');
const manifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
const products = Object.values(
  JSON.parse(readFileSync(join(repository, 'lib', 'native', 'native-products.json'), 'utf8')) as Record<string, string>,
);
const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();

describe('what is published', () => {
  it('kernloop: what runs and its documentation, and nothing that only a checkout needs', () => {
    const files = filesBelow(kernloop);
    const useless = /(?<!\.d)\.ts$|\.spec\.|(^|\/)test(ing)?\/|\.map$|^native\/|\.(cpp|h|hip)$|tsconfig/;
    // The PGO plugin is built for the machine's LLVM, so its sources are needed.
    const built = /^native\/pgo\/(pass|pass\/(generate|shared|use)|headers|headers\/cuda)\/[\w.-]+$/;
    expect(files.filter((file) => useless.test(file) && !built.test(file))).toEqual([]);
    expect(files).toContain('native/pgo/pass/CMakeLists.txt');
    expect(files).toEqual(
      expect.arrayContaining(['README.md', 'CHANGELOG.md', 'LICENSE', 'docs/cuda.md', 'bin/kernloop.js']),
    );
    const { scripts, devDependencies, peerDependenciesMeta } = manifest(kernloop);
    expect([scripts, devDependencies]).toEqual([undefined, undefined]);
    expect(peerDependenciesMeta).toEqual({ nx: { optional: true }, '@nx/devkit': { optional: true } });
  });

  it('kernloop: every module that its code names is in it or among its dependencies', () => {
    const { dependencies = {} } = manifest(kernloop);
    const allowed = new Set([...Object.keys(dependencies), 'nx']);
    const named = filesBelow(join(kernloop, 'dist'))
      // Bundles of others' packages are tested below.
      .filter((file) => file.endsWith('.js') && !file.startsWith('bundled/'))
      .flatMap((file) => [
        ...readFileSync(join(kernloop, 'dist', file), 'utf8').matchAll(/(?:require|import)\((["'])([^."'][^"']*)\1\)/g),
      ])
      .map(([, , name = '']) => name)
      .filter((name) => !name.startsWith('node:') && !builtinModules.includes(name))
      .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
    expect(named).toEqual(expect.arrayContaining(['zod', 'nx']));
    expect([...new Set(named)].filter((name) => !allowed.has(name))).toEqual([]);
    // The command line and the plugin are one file each, which starts in half the time of separate modules. Bundled
    // packages of others are beside it.
    for (const file of ['dist/cli/main.js', 'dist/plugins/kernel/plugin.js']) {
      const parts = readFileSync(join(kernloop, file), 'utf8').matchAll(/require\((["'])(\.{1,2}\/[^"']*)\1\)/g);
      const own = [...parts]
        .map(([, , path = '']) => path)
        .filter((path) => !/^(\.\.\/)+bundled\/[\w-]+\.js$/.test(path));
      expect([file, own]).toEqual([file, []]);
    }
    // The code of tasks is in the same file as the command line.
    expect(readFileSync(join(kernloop, 'dist/executors/stage.js'), 'utf8')).toMatch(/require\('\.\.\/cli\/main\.js'\)/);
  });

  it('as few packages and megabytes as README says', () => {
    const names = new Set<string>();
    const visit = (name: string): void => {
      names.add(name);
      const { dependencies, optionalDependencies } = manifest(join(installed, name));
      for (const other of Object.keys({ ...dependencies, ...optionalDependencies })) visit(other);
    };
    visit('kernloop');
    const bytes = [...names]
      .flatMap((name) => filesBelow(join(installed, name)).map((file) => join(installed, name, file)))
      .reduce((sum, file) => sum + statSync(file).size, 0);
    for (const page of ['README.md', 'docs/install.md']) {
      const text = readFileSync(join(repository, page), 'utf8');
      const [, packages, megabytes] = /npm install --save-dev kernloop +# (\d+) packages, (\d+) MB/.exec(text) ?? [];
      expect([page, Number(packages)]).toEqual([page, names.size]);
      expect(bytes / 1e6).toBeLessThan(1.1 * Number(megabytes));
      expect(bytes / 1e6).toBeGreaterThan(0.7 * Number(megabytes));
    }
    expect([...names].sort()).toEqual(['@kernloop/native-linux-x64', 'kernloop', 'zod']);
  });

  it.each(readdirSync(join(kernloop, 'dist', 'bundled')).filter((file) => file.endsWith('.js')))(
    'kernloop: %s has all that it needs',
    async (file) => {
      // Copied into an empty folder, so that missing parts are not found beside it.
      const alone = mkdtempSync(join(tmpdir(), 'kernloop-e2e-bundled-'));
      try {
        cpSync(join(kernloop, 'dist', 'bundled', file), join(alone, file));
        const script = `const modules = require('./${file}'); console.log(Object.keys(modules).map((name) => typeof modules[name]).join(' '))`;
        const outcome = await run('node', ['-e', script], { cwd: alone });
        expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/^((object|function) ?)+\n$/)]);
      } finally {
        rmSync(alone, { recursive: true, force: true });
      }
    },
  );

  it('kernloop: what others wrote and is joined into one file has its licence beside it', () => {
    const notices = readFileSync(join(kernloop, 'THIRD_PARTY_NOTICES.md'), 'utf8');
    const code = readFileSync(join(kernloop, 'dist/cli/main.js'), 'utf8');
    // A direct dependency, one that only another package needs, and one with its licence from another package of its
    // repository.
    for (const name of ['zod', 'execa', 'commander', 'strip-final-newline', 'vega-util']) {
      expect(notices).toMatch(new RegExp(`^## ${name} \\d`, 'm'));
      expect(code).not.toMatch(new RegExp(`require\\(["']${name}["']\\)`));
    }
    // Some licence texts contain headings.
    expect(notices.match(/^## \S+ \d+\.\d+\S*$/gm)?.length).toBe(notices.match(/^```text$/gm)?.length);
    expect(notices).not.toMatch(/^```text\n\s*^```$/m);
    expect(notices).toContain('Permission is hereby granted');
  });

  it('kernloop: links of its documentation lead to files of the package or to the repository', () => {
    const dead = filesBelow(kernloop)
      .filter((file) => file.endsWith('.md'))
      .flatMap((file) =>
        // Text like `kernel[grid](x)` in code is no link.
        [
          ...readFileSync(join(kernloop, file), 'utf8')
            .replace(/^```[^]*?^```|`[^`\n]*`/gm, '')
            .matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g),
        ]
          .map(([, target = '']) => join(dirname(file), target))
          .filter((target) => !existsSync(join(kernloop, target))),
      );
    expect(dead).toEqual([]);
  });

  it('the native programs: all of them, ready to start, for one platform, in the same version', () => {
    expect(manifest(native)).toMatchObject({ os: ['linux'], cpu: ['x64'], libc: ['glibc'] });
    expect(manifest(kernloop).optionalDependencies).toEqual({ '@kernloop/native-linux-x64': manifest(native).version });
    expect(manifest(native).version).toBe(manifest(kernloop).version);
    for (const product of products) {
      const { mode } = statSync(join(native, product));
      expect([product, (mode & 0o111) !== 0]).toEqual([product, true]);
    }
    expect(filesBelow(native).filter((file) => /^(bin|lib)\//.test(file))).toEqual([...products].sort());
  });
});

describe('what is not packed', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'kernloop-e2e-pack-'));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  /** Packs a native build in which one product is replaced by another file. */
  const packedWith = (product: string, file: string | undefined): Promise<Outcome> => {
    const build = mkdtempSync(join(scratch, 'build-'));
    for (const name of products) {
      mkdirSync(dirname(join(build, name)), { recursive: true });
      const source = name === product ? file : join(nativeDirectory, name);
      if (source !== undefined) cpSync(source, join(build, name), { dereference: true });
    }
    const script = `import('./tools/packages/native.mjs').then((m) => m.stageNative(process.argv[1], process.argv[2]))`;
    return run('node', ['-e', script, join(scratch, 'stage'), build], { cwd: repository });
  };

  it.each<[string, string, string | undefined, RegExp]>([
    ['lacks a program', 'bin/kernloop-nvrtc', undefined, /not built: bin\/kernloop-nvrtc/],
    [
      'needs a library that not every machine has',
      'bin/kernloop-nvrtc',
      join(nativeDirectory, 'bin', 'cuda_app'),
      /kernloop-nvrtc needs /,
    ],
    [
      'runs on some processors alone',
      'lib/softgpu/libhsa-runtime64.so.1',
      join(nativeDirectory, 'lib', 'libkernloop-capture-hsa.so'),
      /lacks the vector code for baseline, v3, v4/,
    ],
  ])('a build that %s', async (_, product, file, message) => {
    const outcome = await packedWith(product, file);
    expect([outcome.code, outcome.text]).toEqual([1, expect.stringMatching(message)]);
  });
});
