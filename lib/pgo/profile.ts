import { existsSync } from 'node:fs';
import { z } from 'zod';
import { KernloopError } from '../support/error';
import { sha256, sha256OfFile } from '../support/files';
import { readJson } from '../support/schema';

const hex = z.string().regex(/^0x[0-9a-f]+$/i);

const profileFunctionSchema = z.looseObject({
  name: z.string(),
  hash: hex,
  counters: z.array(hex),
  uniform: z.array(hex).default([]),
  pattern: z.string().default(''),
  classes: z.array(z.looseObject({ waves: hex, uniform_lanes: hex.optional() })).default([]),
  counter_class: z.array(z.int()).default([]),
});

/** merged.waves.json, which the plugin and reports read (contract in native/pgo). */
const wavesSchema = z.looseObject({
  schema: z.literal('kernloop.pgo-waves/1'),
  arch: z.string(),
  wave_size: z.int(),
  sampling: z.string(),
  functions: z.array(profileFunctionSchema),
});

export type WavesJson = z.output<typeof wavesSchema>;
export type ProfileFunction = z.output<typeof profileFunctionSchema>;

export interface ProfileFiles {
  profdata: string;
  waves: string;
}

export function readWaves({ waves }: Pick<ProfileFiles, 'waves'>): WavesJson {
  return readJson(waves, wavesSchema, 'PGO_PROFILE_MISSING', 'run `kernloop pgo-generate` and `kernloop pgo-merge`');
}

/** Digest of both files of the profile, and of the host's profile if there is one. */
export function profileDigest({ profdata, waves, host }: ProfileFiles & { host?: string }): string {
  for (const file of [profdata, waves]) {
    if (existsSync(file)) continue;
    throw new KernloopError(
      'PGO_PROFILE_MISSING',
      `${file} does not exist`,
      'run `kernloop pgo-generate` and `kernloop pgo-merge` first',
    );
  }
  const ofHost = host !== undefined && existsSync(host) ? ` ${sha256OfFile(host)}` : '';
  return sha256(`${sha256OfFile(profdata)} ${sha256OfFile(waves)}${ofHost}`);
}
