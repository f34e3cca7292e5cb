import { isDeepStrictEqual } from 'node:util';
import { readTritonJson, shownValue, type TritonJson, type TritonValue } from '../archive/triton-json';
import { KernloopError } from '../support/error';
import type { Value } from '../support/expression';
import type { Parameter, Parameters } from './space';
import { literalValue } from './text-edits';

/** Configurations of the kernel's own `@triton.autotune`, as recorded in the capture. */
export interface AutotunedSpace {
  configurations: Parameters[];
  /** Values of each name in the configurations. */
  parameters: Parameter[];
}

/** Null if the capture has recorded none. */
export function autotunedSpace(captureFolder: string): AutotunedSpace | null {
  const recorded = recordedIn(readTritonJson(captureFolder));
  const [first] = recorded;
  if (first === undefined) return null;
  const names = Object.keys(first);
  const other = recorded.find((one) => !isDeepStrictEqual(Object.keys(one).sort(), [...names].sort()));
  if (other !== undefined) {
    const [odd = ''] = [
      ...names.filter((name) => !(name in other)),
      ...Object.keys(other).filter((name) => !(name in first)),
    ];
    throw unusable(`not all configurations of @triton.autotune set ${odd}`);
  }
  const configurations = recorded.map((one) =>
    Object.fromEntries(names.map((name) => [name, valueOf(name, one[name])] as const)),
  );
  const parameters = names.map((name) => ({
    name,
    values: [...new Set(configurations.flatMap((one) => one[name] ?? []))],
  }));
  return { configurations, parameters };
}

/** Captures of older versions contain only the configurations that the autotuner tried for its last arguments. */
function recordedIn(json: TritonJson | null): Record<string, TritonValue>[] {
  const tried = (json?.tunings ?? []).flatMap(({ trials }) => trials.map(({ configuration }) => configuration));
  return json?.configurations ?? tried;
}

/** Value as reproducer.py writes it. */
function valueOf(name: string, value: TritonValue | undefined): Value {
  if (value !== undefined && 'python' in value) {
    const literal = literalValue(value.python);
    if (literal !== undefined) return literal;
    if (/^(?:tl(?:\.\w+)+|None)$/.test(value.python)) return value.python;
  }
  throw unusable(
    `@triton.autotune sets ${name} to ${value === undefined ? 'nothing' : shownValue(value)}, which is no number, text or name of Triton`,
  );
}

const unusable = (what: string): KernloopError =>
  new KernloopError('TUNE_SPACE', what, 'name what is to be tried with --set NAME=VALUE,VALUE');
