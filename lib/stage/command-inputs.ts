/** Of the Nx command that began last in a workspace: what its tasks depend on and no file holds, as a digest (plugins/kernel/task-values.ts). */
export const commandFile = '.kernloop/inputs/command';

/** The same digest, for the tasks of that command. */
export const commandVariable = 'KERNLOOP_COMMAND_INPUTS';

/** When its values were written, in nanoseconds: see `markBegin`. */
export const beganVariable = 'KERNLOOP_COMMAND_BEGAN';
