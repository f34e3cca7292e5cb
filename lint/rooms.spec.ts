import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(__dirname, '..');

interface Cruise {
  summary: { violations: { rule: { name: string }; from: string; to: string }[] };
}

/** Violations in a source tree with these files and their imports. */
function broken(house: Readonly<Record<string, readonly string[]>>): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'kernloop-rooms-'));
  try {
    for (const [file, imports] of Object.entries(house)) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      const lines = imports.map((from, index) => `import type { T as T${index} } from '${from}';`);
      const used = imports.map((_from, index) => `T${index}`).join(' | ') || 'never';
      writeFileSync(join(folder, file), `${lines.join('\n')}\nexport type T = ${used};\n`);
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const program = join(root, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruise.mjs');
    const folders = [...new Set(Object.keys(house).map((file) => file.split('/')[0] ?? ''))];
    const args = [program, '--config', join(root, 'lint', 'rooms.cjs'), '--output-type', 'json', ...folders];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    if (stdout === '') throw new Error(stderr);
    const { summary } = JSON.parse(stdout) as Cruise;
    return summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`).sort();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One run of dependency-cruiser on one tree: each test reads the violations of its own files. */
const violations = broken({
  'lib/support/words.ts': [],
  'lib/device/kinds.ts': ['../support/words'],
  'lib/replay/program.ts': [],
  'lib/testing/fake.ts': ['../replay/program'],
  // Allowed imports.
  'lib/validate/validate.ts': ['../device/kinds', '../replay/program'],
  'lib/validate/validate.spec.ts': ['../stages/all', '../testing/fake'],
  'lib/stages/all.ts': ['../validate/validate'],
  'cli/main.ts': ['../lib/stages/all', 'commander'],
  'plugins/kernel/plugin.ts': ['../../lib/device/kinds', '@nx/devkit'],
  'executors/validate.ts': ['../lib/stages/all', 'nx/src/utils/logger'],
  'generators/init.ts': ['../lib/app/nxless'],
  'lib/app/nxless.ts': ['commander'],
  // Forbidden imports.
  'lib/device/device.ts': ['../replay/program'],
  'lib/app/devkit.ts': ['@nx/devkit'],
  'lib/app/nx.ts': ['nx'],
  'lib/app/nx.spec.ts': ['nx/src/utils/logger'],
  'lib/app/plugin.ts': ['../../plugins/kernel/plugin'],
  'lib/app/executor.ts': ['../../executors/validate'],
  'lib/app/generator.ts': ['../../generators/init'],
  'lib/app/command.ts': ['../../cli/main'],
  'cli/plugin.ts': ['../plugins/kernel/plugin'],
  'plugins/command.ts': ['../cli/main'],
  'lib/capture/one.ts': ['./two'],
  'lib/capture/two.ts': ['./three'],
  'lib/capture/three.ts': ['./one'],
  'lib/attic/attic.ts': ['../support/words'],
  'generators/attic.ts': ['../lib/attic/attic'],
  'lib/app/tested.ts': ['../testing/fake'],
  'lib/support/exec.ts': ['execa'],
  'lib/app/starts.ts': ['execa'],
  'cli/starts.ts': ['execa'],
});

/** Removes the violations of some files, so that the last test sees unexpected ones. */
function said(...files: string[]): string[] {
  const theirs = violations.filter((violation) => files.some((file) => violation.endsWith(`: ${file}`)));
  for (const violation of theirs) violations.splice(violations.indexOf(violation), 1);
  return theirs;
}

describe('the arrows between rooms', () => {
  it('lets no room use one above it, so that no two can use each other', () => {
    expect(said('lib/device/device.ts')).toEqual(['lib/device is below: lib/device/device.ts']);
  });

  it.each(['lib/app/devkit.ts', 'lib/app/nx.ts', 'lib/app/nx.spec.ts'])('keeps Nx out of lib: %s', (file) => {
    expect(said(file)).toEqual([`lib without Nx: ${file}`]);
  });

  it.each(['plugin', 'executor', 'generator', 'command'])('lets lib know no %s', (name) => {
    expect(said(`lib/app/${name}.ts`)).toEqual([`lib knows no entrance: lib/app/${name}.ts`]);
  });

  it('keeps the entrances apart', () => {
    expect(said('cli/plugin.ts', 'plugins/command.ts')).toEqual([
      'cli stand alone: cli/plugin.ts',
      'plugins stand alone: plugins/command.ts',
    ]);
  });

  it('finds a circle of files inside a room, of types alone', () => {
    const circle = said('lib/capture/one.ts', 'lib/capture/two.ts', 'lib/capture/three.ts');
    expect(circle).toHaveLength(1);
    expect(circle[0]).toContain('no circle of files');
  });

  it('wants a place for a new room', () => {
    expect(said('lib/attic/attic.ts', 'generators/attic.ts')).toEqual([
      'a room without a place, importing: lib/attic/attic.ts',
      'a room without a place: generators/attic.ts',
    ]);
  });

  it('keeps what tests need out of the product', () => {
    expect(said('lib/app/tested.ts')).toEqual(['no test in the product: lib/app/tested.ts']);
  });

  it('lets one file alone start processes', () => {
    expect(said('lib/app/starts.ts', 'cli/starts.ts', 'lib/support/exec.ts')).toEqual([
      'one door to processes: cli/starts.ts',
      'one door to processes: lib/app/starts.ts',
    ]);
  });

  it('has nothing against the rest', () => {
    expect(violations).toEqual([]);
  });
});
