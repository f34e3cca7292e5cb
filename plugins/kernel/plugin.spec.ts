import type { ProjectConfiguration, TargetConfiguration } from '@nx/devkit';
import { kernelJson } from '../../lib/testing/workspace';
import { appsOfOneName, declaredKernels, projectsOf, refuseTwin } from './plugin';
import { builtFile, judgedFile, selectionFile } from '../../lib/task-inputs/value-files';
import { lostFile } from './selections';
import { valueInput } from './task-values';

const app = {
  name: 'pipeline',
  build: { configure: ['cmake'], command: ['make'], outputs: ['build'] },
  command: ['build/pipeline'],
  compileCommands: 'build/compile_commands.json',
  kernels: [
    { name: 'saxpy', match: 'saxpy' },
    { name: 'matmul', match: 'matmul' },
  ],
};

const reproducer = kernelJson({ name: 'saxpy', app: { name: 'pipeline', root: 'apps/pipeline' } });

/** Projects of a workspace of virtual files. */
function projects(files: Record<string, object | string>) {
  const read = (path: string): string => {
    const content = files[path];
    if (content === undefined) throw new Error(`${path} was not expected to be read`);
    return typeof content === 'string' ? content : JSON.stringify(content);
  };
  const declared = declaredKernels(Object.keys(files), read);
  return Object.assign(
    {},
    ...Object.keys(files).map((file) => projectsOf(file, read, declared).projects ?? {}),
  ) as Record<string, Partial<ProjectConfiguration>>;
}

type Input = NonNullable<TargetConfiguration['inputs']>[number];

/** Targets with the named inputs of the project expanded, as Nx hashes them. */
function targets(files: Record<string, object | string>, root: string): Record<string, TargetConfiguration> {
  const { targets: own = {}, namedInputs = {} } = projects(files)[root] ?? {};
  const expanded = (input: Input): Input[] => (typeof input === 'string' ? namedInputs[input] : undefined) ?? [input];
  return Object.fromEntries(
    Object.entries(own).map(([name, target]) => [name, { ...target, inputs: target.inputs?.flatMap(expanded) }]),
  );
}

const workspace = { 'apps/pipeline/kernloop.json': app, 'kernels/pipeline/saxpy/kernel.json': reproducer };

describe('the plugin', () => {
  it('makes an app a project with a capture and a generate target for each kernel', () => {
    expect(projects(workspace)['apps/pipeline']?.name).toBe('pipeline');
    expect(Object.keys(targets(workspace, 'apps/pipeline'))).toEqual([
      'build',
      'program',
      'profile',
      'capture-saxpy',
      'capture-matmul',
      'generate-saxpy',
      'generate-matmul',
      'extract-kernel',
      'extract-saxpy',
      'extract-matmul',
      ...['instrument', 'generate', 'merge', 'build', 'use'].map((name) => `pgo-${name}`),
      'pgo-runtime',
    ]);
    const { compileCommands: _commands, ...without } = app;
    const names = Object.keys(targets({ 'a/kernloop.json': without }, 'a'));
    expect(names.filter((name) => name.startsWith('pgo'))).toEqual([]);
  });

  it('has the stages of PGO for an app and for a reproducer, each with its own place and tasks before it', () => {
    const { 'pgo-build': ofApp, 'pgo-generate': counts } = targets(workspace, 'apps/pipeline');
    expect(ofApp).toMatchObject({
      ...{ executor: 'kernloop:pgo-build', options: { app: 'apps/pipeline' }, dependsOn: ['pgo-merge'] },
      outputs: ['{projectRoot}/.kernloop/pgo/variants'],
    });
    expect(counts?.dependsOn).toEqual(['program', 'pgo-instrument']);
    expect(targets(workspace, 'kernels/pipeline/saxpy')['pgo-build']).toMatchObject({
      ...{ executor: 'kernloop:pgo-build', options: { reproducer: 'kernels/pipeline/saxpy' } },
      ...{ dependsOn: ['pgo-merge', 'recompile'], outputs: ['{projectRoot}/pgo/variants'] },
    });
  });

  it('extracts all kernels, or one, behind the tasks that capture and generate them', () => {
    const { 'extract-kernel': all, 'extract-saxpy': one } = targets(workspace, 'apps/pipeline');
    expect(all).toMatchObject({
      executor: 'kernloop:extract',
      options: { app: 'apps/pipeline' },
      dependsOn: ['generate-saxpy', 'generate-matmul'],
    });
    expect(one).toMatchObject({
      executor: 'kernloop:extract',
      options: { app: 'apps/pipeline', kernel: ['saxpy'] },
      dependsOn: ['generate-saxpy'],
    });
    const called = { ...app, kernels: [{ name: 'kernel', match: 'k' }] };
    expect(targets({ 'a/kernloop.json': called }, 'a')['extract-kernel']?.options).toEqual({ app: 'a' });
  });

  it('groups the targets of an app by stage, and says what each does and how it is called', () => {
    const [project] = Object.values(projects(workspace)) as { metadata?: { targetGroups?: object } }[];
    expect(project?.metadata?.targetGroups).toMatchObject({
      app: ['build', 'program'],
      capture: ['capture-saxpy', 'capture-matmul'],
      extract: ['extract-kernel', 'extract-saxpy', 'extract-matmul'],
    });
    for (const [name, { metadata }] of Object.entries(targets(workspace, 'apps/pipeline'))) {
      expect([name, metadata?.description]).toEqual([name, expect.stringMatching(/^.{10,}\.$/)]);
    }
    expect(targets(workspace, 'kernels/pipeline/saxpy')['validate']?.metadata?.help).toEqual({
      command: 'npx kernloop validate --help',
      example: { options: { rtol: 1e-5, atol: 1e-6 } },
    });
  });

  it('gives an app of twenty kernels a graph with one edge a kernel, and every target a place in one group', () => {
    const names = Array.from({ length: 20 }, (_, index) => `k${index}`);
    const files = {
      'apps/pipeline/kernloop.json': { ...app, kernels: names.map((name) => ({ name, match: name })) },
      ...Object.fromEntries(
        names.map((name) => [
          `kernels/pipeline/${name}/kernel.json`,
          kernelJson({ name, app: { name: 'pipeline', root: 'apps/pipeline' } }),
        ]),
      ),
    };
    const all = Object.values(projects(files)) as {
      name: string;
      implicitDependencies?: string[];
      targets: object;
      metadata: { targetGroups: Record<string, string[]> };
    }[];
    const edges = all.flatMap(({ name, implicitDependencies = [] }) => implicitDependencies.map((to) => [name, to]));
    expect(edges).toEqual(names.map((name) => [`pipeline-${name}`, 'pipeline']));
    for (const project of all) {
      const grouped = Object.values(project.metadata.targetGroups).flat();
      expect([project.name, grouped.sort()]).toEqual([project.name, Object.keys(project.targets).sort()]);
    }
    expect(all[1]?.metadata.targetGroups).toMatchObject({
      kernel: ['recompile', 'replay', 'validate', 'report'],
      tune: ['tune'],
      pgo: expect.arrayContaining(['pgo-use']) as string[],
      trace: ['trace-run'],
    });
    expect(Object.keys(all[1]?.metadata.targetGroups ?? {})[0]).toBe('kernel');
  });

  it('names both apps of one name, whatever else Nx would say of their projects', () => {
    const files: Record<string, object> = {
      'a/kernloop.json': app,
      'b/kernloop.json': { ...app, command: ['other'] },
      'c/kernloop.json': { ...app, name: 'third' },
      'dist/a/kernloop.json': app,
    };
    const twins = appsOfOneName(Object.keys(files), (path) => JSON.stringify(files[path]));
    for (const file of ['a/kernloop.json', 'b/kernloop.json'])
      expect(() => refuseTwin(file, twins)).toThrow(
        'a/kernloop.json and b/kernloop.json declare apps of one name, "pipeline"',
      );
    for (const file of ['c/kernloop.json', 'dist/a/kernloop.json', 'kernels/pipeline/saxpy/kernel.json'])
      expect(() => refuseTwin(file, twins)).not.toThrow();
  });

  it('takes the file that the app reads from stdin for an input, also where .gitignore names it', () => {
    const reading = { 'apps/pipeline/kernloop.json': { ...app, stdin: './data/in.txt' } };
    const input = { fileset: '{projectRoot}/data/in.txt', includeIgnored: true };
    for (const target of ['profile', 'capture-saxpy']) {
      expect(targets(reading, 'apps/pipeline')[target]?.inputs).toContainEqual(input);
      expect(targets(workspace, 'apps/pipeline')[target]?.inputs).not.toContainEqual(input);
    }
  });

  it('makes a reproducer a project that recompiles, replays and validates', () => {
    expect(projects(workspace)['kernels/pipeline/saxpy']?.name).toBe('pipeline-saxpy');
    expect(Object.keys(targets(workspace, 'kernels/pipeline/saxpy'))).toEqual([
      ...['recompile', 'replay', 'validate', 'tune'],
      ...['pgo-instrument', 'pgo-generate', 'pgo-merge', 'pgo-build', 'pgo-use', 'trace-run', 'report'],
    ]);
  });

  it('never caches a target that writes what a user may edit, that builds, or that measures time', () => {
    expect(targets(workspace, 'apps/pipeline')['extract-kernel']).toMatchObject({ cache: false });
    expect(targets(workspace, 'apps/pipeline')['extract-kernel']?.outputs).toBeUndefined();
    expect(targets(workspace, 'apps/pipeline')['build']).toMatchObject({ cache: false });
    expect(targets(workspace, 'kernels/pipeline/saxpy')['replay']).toMatchObject({ cache: false });
  });

  it('declares as outputs of cached targets only folders and files that no user edits', () => {
    const outputs = [
      ...Object.values(targets(workspace, 'apps/pipeline')),
      ...Object.values(targets(workspace, 'kernels/pipeline/saxpy')),
    ]
      .filter(({ cache }) => cache)
      .flatMap(({ outputs: declared }) => declared ?? []);
    expect(new Set(outputs)).toEqual(
      new Set([
        '{projectRoot}/.kernloop/profile.json',
        ...['saxpy', 'matmul'].flatMap((kernel) => [
          ...['capture', 'captures/*'].flatMap((folder) =>
            ['capture.json', 'observed.json', 'selfcheck.json', 'nvrtc.json', 'triton.json', 'chunks.pack'].map(
              (name) => `{workspaceRoot}/kernels/pipeline/${kernel}/${folder}/${name}`,
            ),
          ),
          `{workspaceRoot}/kernels/pipeline/${kernel}/pristine`,
        ]),
        '{projectRoot}/build/variant.hsaco',
        '{projectRoot}/build/variant.json',
        '{projectRoot}/build/variant.ptx',
        '{projectRoot}/build/report.html',
        '{projectRoot}/report.json',
        '{projectRoot}/trace',
        ...['instrumented', 'raw', 'variants', 'merged.json', 'merged.profdata', 'merged.waves.json'].map(
          (name) => `{projectRoot}/pgo/${name}`,
        ),
        ...['instrumented', 'raw', 'variants', 'merged.json', 'merged.profdata', 'merged.waves.json'].map(
          (name) => `{projectRoot}/.kernloop/pgo/${name}`,
        ),
        ...['amdgcn-amd-amdhsa', 'nvptx64-nvidia-cuda'].map(
          (triple) => `{projectRoot}/.kernloop/pgo/merged.profdata.${triple}.profdata`,
        ),
      ]),
    );
  });

  const cached = Object.entries({
    ...targets(workspace, 'apps/pipeline'),
    ...targets(workspace, 'kernels/pipeline/saxpy'),
  }).filter(([, { cache }]) => cache);

  it.each(cached)(
    '%s depends on no package, runs no program for its hash, and knows the version of Kernloop',
    (_name, { inputs }) => {
      expect(inputs).toContainEqual({ externalDependencies: [] });
      expect(inputs).toContainEqual({ env: 'KERNLOOP_PACKAGE_DIGEST' });
      expect(JSON.stringify(inputs)).not.toContain('"runtime"');
      // Named inputs may be missing from the user's nx.json: except for the project's own, every input is a file, a
      // variable or an output.
      for (const input of inputs ?? [])
        if (typeof input === 'string') expect(input).toMatch(/^!?\{(projectRoot|workspaceRoot)\}\//);
    },
  );

  it.each([
    [
      'capture-saxpy',
      ['KERNLOOP_NATIVE_DIGEST', 'KERNLOOP_DEVICE_ID_SOFTGPU', 'KERNLOOP_DEVICE_ID_NAMED', 'KERNLOOP_CAPTURE_SCOPE'],
    ],
    ['profile', ['KERNLOOP_NATIVE_DIGEST', 'KERNLOOP_DEVICE_ID_SOFTGPU']],
    ['generate-saxpy', ['KERNLOOP_TOOLCHAIN']],
    ['recompile', ['KERNLOOP_TOOLCHAIN']],
    [
      'validate',
      ['KERNLOOP_NATIVE_DIGEST', 'KERNLOOP_DEVICE_ID_SOFTGPU', 'KERNLOOP_DEVICE_ID_NAMED', 'KERNLOOP_VALIDATE_VARIANT'],
    ],
  ])('%s depends on %j', (name, variables) => {
    const target = { ...targets(workspace, 'apps/pipeline'), ...targets(workspace, 'kernels/pipeline/saxpy') }[name];
    for (const env of variables) expect(target?.inputs).toContainEqual({ env });
  });

  it.each([
    ['cuda', 'capture-saxpy'],
    ['cuda', 'profile'],
    ['hsa', 'capture-saxpy'],
  ])('on %s, %s depends on that device and on no other', (device, name) => {
    const { inputs } = targets({ 'apps/pipeline/kernloop.json': { ...app, device } }, 'apps/pipeline')[name] ?? {};
    const devices = JSON.stringify(inputs).match(/KERNLOOP_DEVICE_ID_\w+/g);
    expect(devices).toEqual([`KERNLOOP_DEVICE_ID_${device.toUpperCase()}`, 'KERNLOOP_DEVICE_ID_NAMED']);
  });

  it('captures again where this workspace lost what a capture keeps outside of itself, and depends on no store', () => {
    const { inputs } = targets(workspace, 'apps/pipeline')['capture-saxpy'] ?? {};
    expect(inputs).toContainEqual(valueInput(lostFile('apps/pipeline', 'saxpy')));
    expect(JSON.stringify(inputs)).not.toContain('STORE_GENERATION');
  });

  it('captures again where what is said of the kernel, or of all, changed', () => {
    for (const name of ['capture-saxpy', 'generate-saxpy']) {
      const { inputs } = targets(workspace, 'apps/pipeline')[name] ?? {};
      expect(inputs).toContainEqual(valueInput(selectionFile('apps/pipeline', 'saxpy')));
      expect(inputs).not.toContainEqual(valueInput(selectionFile('apps/pipeline', 'matmul')));
      expect(inputs).toContainEqual({ json: '{projectRoot}/kernloop.json', excludeFields: ['kernels'] });
      expect(inputs).toContain('!{projectRoot}/kernloop.json');
    }
  });

  it('captures after the build, and again when the built program is another one', () => {
    const capture = targets(workspace, 'apps/pipeline')['capture-saxpy'];
    expect(capture?.dependsOn).toEqual(['build', 'program']);
    expect(capture?.inputs).toContainEqual({
      dependentTasksOutputFiles: 'apps/pipeline/build/pipeline',
      transitive: false,
    });
    expect(capture?.options).toEqual({ app: 'apps/pipeline', kernel: ['saxpy'], build: false });
  });

  it('captures and profiles again where what the command runs is another one, and records NVRTC only where asked', () => {
    const { 'capture-saxpy': capture, profile, program } = targets(workspace, 'apps/pipeline');
    const written = { dependentTasksOutputFiles: 'apps/pipeline/.kernloop/program.json', transitive: false };
    for (const target of [capture, profile]) expect(target?.inputs).toContainEqual(written);
    expect(capture?.inputs).toContainEqual({ env: 'KERNLOOP_NVRTC_RECORD' });
    expect(capture?.inputs).toContainEqual({ env: 'KERNLOOP_TRITON_RECORD' });
    expect(program).toMatchObject({
      cache: false,
      dependsOn: ['build'],
      outputs: ['{projectRoot}/.kernloop/program.json', '{projectRoot}/.kernloop/compile-commands.json'],
    });
    const { build: _, ...unbuilt } = app;
    const there = targets({ 'a/kernloop.json': unbuilt }, 'a');
    expect(there['capture-saxpy']?.dependsOn).toEqual(['program']);
    expect(there['program']?.dependsOn).toBeUndefined();
  });

  it('asks the cache only for what was recompiled and judged as it is now', () => {
    const { recompile, validate } = targets(workspace, 'kernels/pipeline/saxpy');
    expect(recompile?.inputs).toContainEqual(valueInput(builtFile('kernels/pipeline/saxpy')));
    expect(validate?.inputs).toContainEqual(valueInput(judgedFile('kernels/pipeline/saxpy')));
  });

  it('knows the built program behind a wrapper', () => {
    const wrapped = { ...app, command: ['sh', 'count', 'build/pipeline', '--n', '3'] };
    const capture = targets({ 'apps/pipeline/kernloop.json': wrapped }, 'apps/pipeline')['capture-saxpy'];
    expect(capture?.inputs).toContainEqual({
      dependentTasksOutputFiles: 'apps/pipeline/build/pipeline',
      transitive: false,
    });
  });

  it('judges by the digest of the capture, not by what varies from run to run', () => {
    const { inputs } = targets(workspace, 'kernels/pipeline/saxpy')['validate'] ?? {};
    expect(inputs).toContainEqual({ dependentTasksOutputFiles: '**/capture/{capture,selfcheck}.json' });
    expect(inputs).toContainEqual({ dependentTasksOutputFiles: '**/captures/*/{capture,selfcheck}.json' });
    expect(JSON.stringify(inputs)).not.toContain('observed');
  });

  it('lets a reproducer wait for its capture and its recompile', () => {
    const expected = [{ projects: ['pipeline'], target: 'capture-saxpy' }, 'recompile'];
    expect(targets(workspace, 'kernels/pipeline/saxpy')['validate']?.dependsOn).toEqual(expected);
    expect(projects(workspace)['kernels/pipeline/saxpy']?.implicitDependencies).toEqual(['pipeline']);
  });

  it.each([
    ['its app is elsewhere', { 'kernels/pipeline/saxpy/kernel.json': reproducer }, 'kernels/pipeline/saxpy'],
    ['it was moved', { 'apps/pipeline/kernloop.json': app, 'mine/saxpy/kernel.json': reproducer }, 'mine/saxpy'],
    [
      'its app no longer declares it',
      { 'apps/pipeline/kernloop.json': { ...app, kernels: [] }, 'kernels/pipeline/saxpy/kernel.json': reproducer },
      'kernels/pipeline/saxpy',
    ],
  ])('lives from the capture it has when %s', (_name, files, root) => {
    const validate = targets(files, root)['validate'];
    expect(validate?.dependsOn).toEqual(['recompile']);
    for (const folder of ['capture', 'captures/*']) {
      expect(validate?.inputs).toContainEqual({
        fileset: `{projectRoot}/${folder}/capture.json`,
        includeIgnored: true,
      });
    }
  });

  it('has nothing to recompile where a kernel has no source', () => {
    const files = { 'k/kernel.json': kernelJson({ language: 'none', source: null }) };
    expect(Object.keys(targets(files, 'k'))).toEqual(['replay', 'validate', 'trace-run', 'report']);
    expect(targets(files, 'k')['validate']?.dependsOn).toEqual([]);
  });

  it('keeps reproducers out of the inputs of an app at the root of the workspace', () => {
    const capture = targets({ 'kernloop.json': app }, '.')['capture-saxpy'];
    expect(capture?.inputs).toContain('!{projectRoot}/kernels/**/*');
    expect(capture?.options).toMatchObject({ app: '.' });
  });

  it.each([
    ['a generated copy', { 'kernels/a/b/pristine/kernel.json': reproducer }],
    ['an exported task', { 'tasks/a/kernel.json': { ...reproducer, task_of: 'agent-kernel-arena' } }],
    [
      'a kernel specification of Jupyter',
      { 'share/jupyter/kernel.json': { argv: ['python'], display_name: 'Python' } },
    ],
    ['somebody else’s broken file', { 'x/kernel.json': '{' }],
  ])('takes no notice of %s', (_name, files) => {
    expect(projects(files)).toEqual({});
  });

  it.each([
    ['kernloop.json', { 'a/kernloop.json': { ...app, kernel: [] } }, 'did you mean "kernels"?'],
    ['kernel.json', { 'a/kernel.json': `{"code_object"` }, 'a/kernel.json is not JSON'],
  ])('says what is wrong with a %s of ours', (_name, files, message) => {
    expect(() => projects(files)).toThrow(message);
  });
});
