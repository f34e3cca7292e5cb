import { z } from 'zod';
import { deviceKinds } from '../device/kinds';
import { reportSchema } from '../validate/report-json';

const { verdict, summary, code } = reportSchema.shape;

const lastVerdictSchema = z.object({
  verdict,
  summary,
  code,
  doubts: z.string().nullable().describe('What its pass did not show, in words; null if it has none.'),
  current: z.boolean().describe('Whether it is about the code and the captures that are there now.'),
  changed: z.string().nullable().describe('What was changed since, where it is not current.'),
});

const kernelSchema = z.object({
  name: z.string(),
  match: z.string().nullable().describe('Null where kernloop.json does not declare it, or no longer does.'),
  reproducer: z.string().nullable().describe('Relative to the workspace; null where it is not extracted yet.'),
  captured: z.boolean().describe('Whether its capture is on this machine.'),
  verdict: lastVerdictSchema.nullable().describe('The last one of validate; null where there is none.'),
  problem: z.string().nullable().describe('Why it could not be read.'),
});

const appSchema = z.object({
  name: z.string().nullable().describe('Null where kernloop.json cannot be read.'),
  folder: z.string().nullable().describe('Relative to the workspace; null for reproducers whose app is not here.'),
  device: z.enum(deviceKinds).nullable(),
  profiled: z.boolean().describe('Whether a profile of it is on this machine.'),
  kernels: z.array(kernelSchema),
  problem: z.string().nullable().describe('Why kernloop.json could not be read.'),
});

export const kernelsResultSchema = z.object({
  workspace: z.string().describe('Absolute.'),
  apps: z.array(appSchema),
  complete: z.boolean().describe('False for a tree that has more folders than are looked into.'),
});

export type LastVerdict = z.output<typeof lastVerdictSchema>;
export type ListedKernel = z.output<typeof kernelSchema>;
export type ListedApp = z.output<typeof appSchema>;
export type KernelsResult = z.output<typeof kernelsResultSchema>;
