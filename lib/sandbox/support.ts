import { z } from 'zod';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { describeEnd } from '../support/ndjson';

export const probedSchema = z.looseObject({
  event: z.literal('sandbox'),
  landlock_abi: z.int(),
  is_available: z.boolean(),
  reason: z.string().optional(),
});

export interface SandboxSupport {
  /** Version of the kernel's Landlock interface. */
  landlockAbi: number;
}

const probeLimitMs = 10_000;

/** Throws SANDBOX_UNAVAILABLE if this machine, container or user cannot have one. */
export async function sandboxSupport({ run, native }: Pick<Deps, 'run' | 'native'>): Promise<SandboxSupport> {
  const ended = await run(native.sandbox, ['--probe'], { timeoutMs: probeLimitMs }).result;
  const probed = probedIn(ended.stdoutTail);
  if (ended.exitCode === 0 && probed?.is_available === true) return { landlockAbi: probed.landlock_abi };
  throw new KernloopError(
    'SANDBOX_UNAVAILABLE',
    `programs of candidates cannot be confined here: ${probed?.reason ?? describeEnd('kernloop-sandbox --probe', ended)}`,
    'use Linux 5.13 or newer with Landlock (Debian 12, Ubuntu 22.04 have it) and a container that allows it, or run what you trust with --unsandboxed',
  );
}

function probedIn(output: string): z.output<typeof probedSchema> | undefined {
  try {
    return probedSchema.parse(JSON.parse(output));
  } catch {
    return undefined;
  }
}
