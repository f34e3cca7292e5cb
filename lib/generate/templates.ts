import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { render } from 'ejs';
import { packFile, type CaptureJson } from '../archive/capture-files';
import { formatBytes, formatCount } from '../support/report';
import { packageRoot } from '../support/version';
import type { Recipe } from '../toolchain/recipe';
import { explicitSlots } from '../reproducer/kernel-args';
import type { KernelJson } from '../reproducer/kernel-json';

const templateFolder = join(packageRoot, 'generators', 'reproducer', 'files');
const templateSuffix = '.template';

export interface TemplateInput {
  project: KernelJson;
  capture: CaptureJson;
  captureFolder: string;
  recipe: Recipe | null;
}

/** Files that document and drive a reproducer, by path. */
export function renderTemplates(input: TemplateInput): Record<string, string> {
  const view = viewOf(input);
  const names = readdirSync(templateFolder).filter((name) => name.endsWith(templateSuffix));
  return Object.fromEntries(
    names.sort().map((name) => {
      const path = join(templateFolder, name);
      // The output is no HTML, so values are not escaped.
      return [
        name.slice(0, -templateSuffix.length),
        render(readFileSync(path, 'utf8'), view, { filename: path, escape: String }),
      ];
    }),
  );
}

function viewOf({ project, capture, captureFolder, recipe }: TemplateInput) {
  const regions = new Map(capture.regions.map((region) => [region.id, region]));
  const slots = explicitSlots(capture);
  const rawBytes = capture.regions.reduce((sum, { size }) => sum + size, 0);
  return {
    cell,
    project,
    recipe,
    hasSource: project.language !== 'none',
    grid: capture.geometry.grid_blocks.join(' x '),
    block: capture.geometry.block_threads.join(' x '),
    ordinal: capture.dispatch.ordinal,
    waveInstructions: countOrNull(capture.execution.wave_instructions),
    regionCount: countRegions(capture.regions.length),
    variableCount: capture.module_variables.length,
    scope: capture.scope.mode,
    rawSize: formatBytes(rawBytes),
    trackedSize: formatBytes(capture.scope.tracked_bytes),
    trackedCount: countRegions(capture.scope.tracked_regions),
    storedSize: storedSize(captureFolder),
    args: project.args.map((arg, index) => {
      const slot = slots[index];
      const region = slot?.region == null ? undefined : regions.get(slot.region);
      return {
        ...arg,
        label: arg.name ?? `#${index}`,
        value: slot?.value ?? '',
        memory: region ? `${region.id}, ${formatBytes(region.size)}` : '',
      };
    }),
    deps: Object.keys(recipe?.files ?? {}).filter((path) => path.startsWith('deps/')),
    compiler: recipe?.compiler,
    sameMachineCode: recipe?.code_object.same_machine_code === true,
    identical: recipe !== null && recipe.code_object.captured === recipe.code_object.recompiled,
  };
}

/** Formats code for a cell of a Markdown table. */
function cell(text: string): string {
  return text === '' ? '' : `\`${text.replaceAll('|', '\\|')}\``;
}

function countOrNull(count: number | null | undefined): string | null {
  return count == null ? null : formatCount(count);
}

function countRegions(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'region' : 'regions'}`;
}

/** Null if the chunks are in a store, which captures share. */
function storedSize(captureFolder: string): string | null {
  const size = statSync(packFile(captureFolder), { throwIfNoEntry: false })?.size;
  return size === undefined ? null : formatBytes(size);
}
