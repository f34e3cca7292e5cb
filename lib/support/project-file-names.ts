/** File names of an app's and a reproducer's configuration. */
export const kernloopFile = 'kernloop.json';
export const kernelFile = 'kernel.json';
