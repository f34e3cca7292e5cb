import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { KernloopError } from '../../support/error';
import { sha256OfFile } from '../../support/files';
import { readJson } from '../../support/schema';

/** `build.json` of a program that was built again. */
const programSchema = z.object({
  schema: z.literal('kernloop.pgo-program/1'),
  program: z.string().describe('Beside this file.'),
  program_sha256: z.string(),
  compiler: z.string(),
  plugin_sha256: z.string().nullable(),
  profile_sha256: z.string().nullable(),
  options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});

export type ProgramJson = z.output<typeof programSchema>;

/** The program that a stage built in a folder. */
export function builtProgram(folder: string, stage: string): { program: string; build: ProgramJson } {
  const hint = `run \`kernloop ${stage} --app\``;
  const build = readJson(join(folder, 'build.json'), programSchema, 'PGO_BUILD_MISSING', hint);
  const program = join(folder, build.program);
  if (existsSync(program) && sha256OfFile(program) === build.program_sha256) return { program, build };
  throw new KernloopError('PGO_BUILD_MISSING', `${program} is not what was built`, hint);
}
