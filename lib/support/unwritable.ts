import { accessSync, constants, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';

/** Reasons that hold for any use of a path. */
const misnamed: Readonly<Record<string, readonly [reason: string, next: string]>> = {
  ENOTDIR: ['a part of the path is a file, and no folder', 'name another path, or move that file away'],
  ENAMETOOLONG: ['a name in it is longer than the file system takes', 'give it a shorter name'],
};

/** Reasons why the system refuses a write, with a remedy each. */
const reasons: Readonly<Record<string, readonly [reason: string, next: string]>> = {
  EROFS: ['it lies on a read-only file system', 'mount it writable, or copy the folder to where you may write'],
  EACCES: [
    'there is no permission',
    'give yourself permission with `chmod`, or copy the folder to where you may write',
  ],
  EPERM: ['there is no permission', 'look at the owner and the attributes (`ls -l`, `lsattr`), or copy the folder'],
  ENOSPC: ['the disk is full', 'make room (`df -h`), and run the command again'],
  EDQUOT: ['the quota of the disk is used up', 'make room (`quota`), and run the command again'],
  EBUSY: ['it is in use', 'end what uses it (`fuser`, `findmnt`), and run the command again'],
  ETXTBSY: ['it is a program that runs', 'end that program, and run the command again'],
  EISDIR: ['there is a folder in its place', 'move the folder away, and run the command again'],
  ENOTEMPTY: ['there is a folder in its place', 'move the folder away, and run the command again'],
  EEXIST: ['there is a file in its place', 'name another path, or move that file away'],
  ...misnamed,
};

/** Codes that only writing gives. */
const alwaysWriting: readonly unknown[] = ['EROFS', 'ENOSPC', 'EDQUOT', 'ETXTBSY'];
const writing: readonly unknown[] = [
  ...['mkdir', 'mkdtemp', 'rename', 'unlink', 'rmdir', 'rm', 'link', 'symlink', 'copyfile', 'chmod', 'utime', 'futime'],
  ...['write', 'ftruncate', 'fsync', 'truncate'],
];

/** Stands for the file name in errors about a descriptor, which name none. */
const nameless = (): string => `a file (of the workspace, or in ${tmpdir()} for temporary ones)`;

/** Describes a system error about an unwritable file: the file, the reason and what to do; else undefined. */
export function unwritable(error: unknown): { what: string; hint: string } | undefined {
  const said = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const { syscall } = said;
  // `path` of a copy is the source.
  const path = syscall === 'copyfile' ? (said['dest'] ?? said['path']) : said['path'];
  const code =
    said['code'] === 'ENOENT' && syscall === 'mkdir' && typeof path === 'string' ? whyNotMade(path) : said['code'];
  const reason = typeof code === 'string' ? reasons[code.replace(/^ERR_FS_/, '')] : undefined;
  if (reason === undefined) return undefined;
  const named = typeof path === 'string' ? path : undefined;
  if (!alwaysWriting.includes(code) && (named === undefined || !(writing.includes(syscall) || partial.test(named))))
    return undefined;
  return {
    what: `${named?.replace(partial, '') ?? nameless()} cannot be written: ${reason[0]} (${String(code)})`,
    hint: reason[1],
  };
}

/** With `recursive`, mkdirSync of Node 20 says ENOENT of a read-only file system; the folder above has the reason. */
function whyNotMade(path: string): unknown {
  let above = dirname(resolve(path));
  while (!existsSync(above)) above = dirname(above);
  try {
    accessSync(above, constants.W_OK);
    return 'ENOENT';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

const unreadableReasons: Readonly<Record<string, readonly [reason: string, next: string]>> = {
  EACCES: [
    'there is no permission',
    'look at the permissions of the file and its folders (`namei -l FILE`), and give yourself what is missing with `chmod`',
  ],
  EPERM: ['there is no permission', 'look at the owner and the attributes (`ls -l`, `lsattr`)'],
  EIO: [
    'its disk or network answers with an error',
    'look at what the system says (`dmesg`), and copy the folder elsewhere',
  ],
  ELOOP: ['its links lead in a circle', 'look where they lead (`namei FILE`), and correct one'],
  ESTALE: ['it is of a network share that was mounted again', 'enter the folder anew, and run the command again'],
  EMFILE: ['too many files are open', 'raise the limit (`ulimit -n`), and run the command again'],
  ...misnamed,
};
const reading: readonly unknown[] = [
  'open',
  'read',
  'stat',
  'lstat',
  'scandir',
  'opendir',
  'readlink',
  'access',
  'realpath',
];

/** Describes an error about a file that could not be opened or inspected. `unwritable` is asked first. */
export function unreadable(error: unknown): { what: string; hint: string } | undefined {
  const { code, syscall, path } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const reason = typeof code === 'string' ? unreadableReasons[code] : undefined;
  if (reason === undefined || typeof path !== 'string' || !reading.includes(syscall)) return undefined;
  return { what: `${path} cannot be opened: ${reason[0]} (${String(code)})`, hint: reason[1].replace('FILE', path) };
}

/** Suffix that `partialOf` adds. */
const partial = /\.partial-[^/]+$/;

/** Throws if the folder is not writable; the programs that write there would each report it differently. */
export function requireWritable(folder: string): void {
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw Object.assign(error as Error, { syscall: 'mkdir', path: folder });
  }
}

/** Messages of programs that could not write their output. */
const outputRefused =
  /No space left on device|Disk quota exceeded|Read-only file system|(?:unable to|cannot|could not) (?:open|create|write)(?: the)? output file/i;

/** Line in which a program says that it could not write its output. */
export const refusedOutput = (said: string): string | undefined =>
  said.split('\n').find((line) => outputRefused.test(line));

/** Adds the file name to a system error about a descriptor, which has none. */
export function withPath(error: unknown, path: string): unknown {
  if (error instanceof Error && 'syscall' in error && !('path' in error)) Object.assign(error, { path });
  return error;
}
