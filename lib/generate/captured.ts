import type { CaptureJson } from '../archive/capture-files';
import { readCapturedCode } from '../archive/captured-code';
import type { Deps } from '../deps/deps';
import { explicitSlots } from '../reproducer/kernel-args';
import { codeObjectTarget } from '../toolchain/described-code';
import type { Recipe } from '../toolchain/recipe';
import { genericOr } from '../toolchain/target';
import { dialectFor } from '../toolchain/dialects';
import type { PristineRequest } from './request';

/** Captured code to compare with. */
export interface Captured {
  /** Null if it could not be read; then only its digest is known. */
  code: Buffer | null;
  /** Reason why it could not be read; null if it could. */
  unreadable: string | null;
  isa: string;
}

export async function readCaptured({ capture, captureFolder }: PristineRequest, deps: Deps): Promise<Captured> {
  const { isa, kind } = capture.device;
  const code = await readCapturedCode(captureFolder, deps);
  if (!dialectFor(kind).tellsTarget) {
    if (typeof code === 'string') return { code: null, unreadable: code, isa };
    return { code, unreadable: null, isa: genericOr(isa, await codeObjectTarget(code, deps)) };
  }
  if (typeof code !== 'string') return { code, unreadable: null, isa: (await codeObjectTarget(code, deps)) ?? isa };
  deps.report.warn(
    `the captured code could not be read (${code}): it is taken to be for ${isa}, and compared by its digest`,
  );
  return { code: null, unreadable: code, isa };
}

export function signatureOf(capture: CaptureJson): Recipe['signature'] {
  const places = explicitSlots(capture).map(({ offset, size }) => ({ offset, size }));
  return places.length === 0 ? null : places;
}
