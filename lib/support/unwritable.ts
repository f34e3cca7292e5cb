/** Why the system lets nothing be written, and what helps. */
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
};

/** Codes that reading never gives. */
const alwaysWriting: readonly unknown[] = ['EROFS', 'ENOSPC', 'EDQUOT', 'ETXTBSY'];
const writing: readonly unknown[] = [
  ...['mkdir', 'mkdtemp', 'rename', 'unlink', 'rmdir', 'rm', 'link', 'symlink', 'copyfile', 'chmod', 'utime', 'futime'],
  ...['write', 'ftruncate', 'fsync', 'truncate'],
];

/** For a system error that says that a file could not be written: the file, the reason and what to do; else nothing. */
export function unwritable(error: unknown): { what: string; hint: string } | undefined {
  const { code, syscall, path } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const reason = typeof code === 'string' ? reasons[code.replace(/^ERR_FS_/, '')] : undefined;
  if (reason === undefined || typeof path !== 'string') return undefined;
  if (!alwaysWriting.includes(code) && !writing.includes(syscall) && !partial.test(path)) return undefined;
  return { what: `${path.replace(partial, '')} cannot be written: ${reason[0]} (${String(code)})`, hint: reason[1] };
}

/** As `partialOf` names it. */
const partial = /\.partial-[^/]+$/;

/** Names the file in an error of the system about a descriptor, which has no name. */
export function withPath(error: unknown, path: string): unknown {
  if (error instanceof Error && 'syscall' in error && !('path' in error)) Object.assign(error, { path });
  return error;
}
