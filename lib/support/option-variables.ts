import { KernloopError } from './error';
import type { Environment } from './environment';

/** Options that describe the machine, not the task: one variable sets each of them for every stage. */
const ofMachine: readonly string[] = ['device', 'softgpu', 'gpu', 'store', 'remote'];

export const isOfMachine = (option: string): boolean => ofMachine.includes(option);

export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Name of the variable that sets an option of a stage: KERNLOOP_<STAGE>_<OPTION>. */
export function environmentName(stage: string, option: string): string {
  return isOfMachine(option) ? variable(option) : variable(`${stage}-${option}`);
}

/** Variable that set the option of every stage before 1.0; null if that is its name still. */
export function formerName(option: string): string | null {
  return isOfMachine(option) ? null : variable(option);
}

/** Refuses a variable under its former name, which would be ignored in silence. */
export function refuseFormerNames(stage: string, options: readonly string[], env: Environment): void {
  for (const option of options) {
    const former = formerName(option);
    if (former === null || !env[former]) continue;
    const current = environmentName(stage, option);
    throw new KernloopError(
      'USAGE',
      `${former} is set, but the variable of --${kebab(option)} is ${current} now`,
      `set ${current} in its place, and unset ${former}: each stage has variables of its own`,
    );
  }
}

const variable = (name: string): string => `KERNLOOP_${kebab(name).replaceAll('-', '_').toUpperCase()}`;
