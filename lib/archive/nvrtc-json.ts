import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson } from '../support/schema';

const base64 = z.base64();

/** Input that an app passed to NVRTC for one program. */
const programFields = {
  /** Major and minor version of NVRTC. */
  version: z.tuple([z.int().min(0), z.int().min(0)]),
  name: z.string().nullable(),
  source: base64,
  headers: z.array(z.object({ name: z.string().min(1), content: base64 })),
  options: z.array(z.string()),
  name_expressions: z.array(z.string()),
};

/** File that libkernloop-nvrtc.so writes beside the cubin and the PTX of the program. */
export const nvrtcProgramSchema = z.looseObject({ schema: z.literal('kernloop.nvrtc-program/1'), ...programFields });

export type NvrtcProgram = z.output<typeof nvrtcProgramSchema>;

/** `nvrtc.json` of a capture: the program that the captured kernel was compiled from. */
const nvrtcJsonSchema = z.looseObject({
  schema: z.literal('kernloop.nvrtc/1'),
  matched_by: z
    .enum(['code_object', 'machine_code', 'symbol'])
    .describe(
      'How it was told: its cubin is the captured code, or has the same instructions, or it alone defines the kernel.',
    ),
  ...programFields,
});

export type NvrtcJson = z.output<typeof nvrtcJsonSchema>;

export const nvrtcFile = (captureFolder: string): string => join(captureFolder, 'nvrtc.json');

/** Null if no compilation of the kernel by NVRTC was seen. */
export function readNvrtcJson(captureFolder: string): NvrtcJson | null {
  const path = nvrtcFile(captureFolder);
  return existsSync(path) ? readJson(path, nvrtcJsonSchema, 'CAPTURE_INVALID', 'capture again') : null;
}
