import { join } from 'node:path';
import { z } from 'zod';
import type { CaptureJson } from '../archive/capture-files';
import { absent, chart, facts, formatNumber, moment, tableOf } from '../page/parts';
import { markup, type Html } from '../page/html';
import { profileSchema } from '../profile/profile-json';
import { commandText } from '../support/command-text';
import type { KernelJson } from '../reproducer/kernel-json';
import type { Reproducer } from '../reproducer/reproducer';
import { claimsOn } from '../reproducer/signature';
import type { Left } from './left';
import { readLeft } from './left';

/** Describes the capture in enough detail to recognize the launch. */
export async function capturedBody(
  { config }: Reproducer,
  left: Left<CaptureJson>,
  observed: Left<Observed>,
): Promise<Html> {
  if (left.value === null) return left.why;
  const capture = left.value;
  const { geometry, scope, device, dispatch } = capture;
  const regions = capture.regions.map((region) => {
    const changed =
      region.pre.chunks.length !== region.post.chunks.length ||
      region.pre.chunks.some((one, i) => one !== region.post.chunks[i]);
    return [region.id, namesOf(region, config, capture), region.size, region.base, changed ? 'yes' : 'no'];
  });
  const variables = capture.module_variables.map(({ name, size, pre, post }) => [
    name,
    'module variable',
    size,
    '',
    pre.chunks.every((one, i) => one === post.chunks[i]) ? 'no' : 'yes',
  ]);
  const source = config.source;
  return markup`${facts([
    ['Kernel', capture.kernel.name],
    [
      'Launch',
      `${geometry.grid_blocks.join(' × ')} blocks of ${geometry.block_threads.join(' × ')} threads, ${formatNumber(geometry.group_segment_bytes)} bytes of shared memory; ordinal ${dispatch.ordinal} of this kernel, ${dispatch.index} of the program`,
    ],
    ['Device', `${device.kind}: ${device.identity} (${device.isa})`],
    [
      'Scope',
      `${scope.mode}: ${capture.regions.length} of ${scope.tracked_regions} allocations, ${formatNumber(capture.regions.reduce((sum, { size }) => sum + size, 0))} of ${formatNumber(scope.tracked_bytes)} bytes`,
    ],
    [
      'Source',
      source === null
        ? `none: ${config.no_source?.reason ?? 'not found'}`
        : `${source.file}${source.line === null ? '' : `, line ${source.line}`}; the copy to edit is ${source.variant}`,
    ],
    ['Code object', markup`<code>${capture.kernel.code_object}</code>`],
    ...(observed.value === null ? [] : observedFacts(observed.value)),
  ])}
  ${await sizes(config, capture)}
  ${tableOf('Memory that was captured', ['region', 'pointed to by', 'bytes', 'address', 'changed by the kernel'], [...regions, ...variables])}`;
}

export const observedSchema = z.looseObject({ host: z.unknown().optional(), captured_at: z.unknown().optional() });
type Observed = z.output<typeof observedSchema>;

function observedFacts({ captured_at: at }: Observed): [string, Html][] {
  return typeof at === 'string' ? [['Captured', moment(at)]] : [];
}

const mostBars = 30;

/** Names of the parameters that point into a region. */
function namesOf(region: Region, config: KernelJson, capture: CaptureJson): string {
  const claims = claimsOn({ ...region, base: BigInt(region.base) }, config, capture);
  const names = claims.flatMap(({ parameters }) => parameters.map(({ name, index }) => name ?? `argument ${index}`));
  return [...new Set(names)].join(', ');
}

type Region = CaptureJson['regions'][number];

async function sizes(config: KernelJson, capture: CaptureJson): Promise<Html | string> {
  const { regions } = capture;
  // Bars of equal length say nothing.
  if (new Set(regions.map(({ size }) => size)).size < 2) return '';
  const label = (region: Region): string => {
    const names = namesOf(region, config, capture);
    return names === '' ? region.id : `${region.id}: ${names}`;
  };
  const largest = regions.toSorted((a, b) => b.size - a.size).slice(0, mostBars);
  return chart(
    {
      width: 640,
      height: { step: 16 },
      data: { values: largest.map((region) => ({ id: label(region), size: region.size })) },
      mark: 'bar',
      encoding: {
        x: { field: 'size', type: 'quantitative', title: 'bytes' },
        y: { field: 'id', type: 'nominal', title: null, sort: null },
      },
    },
    `Sizes of the ${largest.length} largest regions; the table has them all.`,
  );
}

/** Occupancy as the device reports it; on hardware, from the profile of the app. */
export function occupancyBody({ workspaceRoot, config }: Reproducer): Html {
  const command = commandText(['kernloop', 'profile', config.app.root]);
  const left = readLeft(
    join(workspaceRoot, config.app.root, '.kernloop', 'profile.json'),
    profileSchema,
    'What the device says of registers and occupancy',
    command,
  );
  const roofline = absent(
    'No device tells Kernloop its peak rates of arithmetic and memory, so that there is no roofline here: the vendor’s profiler has one.',
  );
  if (left.value === null) return markup`${left.why}${roofline}`;
  const kernel = left.value.kernels.find(({ symbol }) => symbol === config.symbol);
  if (kernel?.registers_per_thread === undefined && kernel?.occupancy_percent === undefined)
    return markup`${absent(`${left.value.device.identity} does not tell its occupancy${left.value.device.kind === 'softgpu' ? ': it has no processors to fill' : ''}.`)}${roofline}`;
  const figure = (value: number | undefined, unit = ''): string =>
    value === undefined ? 'not told' : `${formatNumber(value)}${unit}`;
  return markup`${facts([
    ['Occupancy', figure(kernel.occupancy_percent, ' %')],
    ['Registers of a thread', figure(kernel.registers_per_thread)],
    ['Blocks at a time on a multiprocessor', figure(kernel.resident_blocks_per_multiprocessor)],
    ['Local memory of a thread', figure(kernel.local_bytes_per_thread, ' bytes')],
    ['Shared memory', `${figure(kernel.static_shared_bytes)} static, ${figure(kernel.dynamic_shared_bytes)} dynamic`],
  ])}
    <p class="muted">Of the most frequent launch in the profile of ${config.app.name}.</p>
    ${roofline}`;
}
