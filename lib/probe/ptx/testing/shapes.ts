import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../../support/version';
import { parseProbeFile } from '../../../trace/read-probe-file';
import type { ProbeFile } from '../../../trace/probe-file';

/** PTX that has every syntactic form. */
export const shapes = readFileSync(join(__dirname, 'shapes.ptx'), 'utf8');

export const shipped = (name: string): ProbeFile => {
  const path = join(packageRoot, 'probes', `${name}.toml`);
  return parseProbeFile(readFileSync(path, 'utf8'), path);
};

interface Body {
  level?: string;
  pos: string;
  before?: string;
  after?: string;
}

/** A probe file with these probes and two dynamic maps of one u64: `M` per thread and `W` per warp. */
export function probing(...probes: Body[]): ProbeFile {
  const map = (name: string, level: string): string =>
    `[map.${name}]\nlevel = "${level}"\ntype = "array"\nsize = 8\ncap = "dynamic"\n[map.${name}.regs]\nvalue = ["u64", "None"]\n`;
  const text = probes.map(({ level = 'thread', pos, before, after }, index) =>
    [
      `[probe.p${index}]\nlevel = "${level}"\npos = "${pos}"`,
      ...(before === undefined ? [] : [`before = """\n${before}\n"""`]),
      ...(after === undefined ? [] : [`after = """\n${after}\n"""`]),
    ].join('\n'),
  );
  return parseProbeFile(`regs = 2\n${text.join('\n')}\n${map('M', 'thread')}${map('W', 'warp')}`, 'probe.toml');
}

/** ptxas of Triton, which the set-up installs: an oracle for the language. */
const ptxas = join(packageRoot, 'python/.venv/lib/python3.11/site-packages/triton/backends/nvidia/bin/ptxas');

/** Messages and output of ptxas; throws if ptxas rejects the PTX. */
export function assemble(ptx: string, ...options: string[]): { said: string; cubin: Buffer } {
  if (!existsSync(ptxas)) throw new Error(`${ptxas} is missing: run \`node tools/python.mjs\``);
  const folder = mkdtempSync(join(tmpdir(), 'kernloop-ptxas-'));
  try {
    const [input, output] = [join(folder, 'a.ptx'), join(folder, 'a.cubin')];
    writeFileSync(input, ptx);
    const args = ['-v', '-arch=sm_90a', '-O1', ...options, input, '-o', output];
    const { status, stdout, stderr } = spawnSync(ptxas, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${stdout}${stderr}`);
    return { said: `${stdout}${stderr}`, cubin: readFileSync(output) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
