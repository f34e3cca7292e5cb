import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeSync,
} from 'node:fs';
import { isInside } from '../../lib/support/files';

const { O_APPEND, O_NONBLOCK, O_WRONLY } = constants;

/** A command of Nx, as its hooks know it. */
interface Command {
  argv: readonly string[];
  workspaceRoot: string;
}

/**
 * Writes to the output of a command of Nx. Without the daemon, this process is that of the command, or a child whose
 * output it passes on. With the daemon, which has another output and gets no word of the command's, the process is
 * looked up. Nothing is written if it is not found, or if its output is a socket, which cannot be opened.
 */
export async function writeToCommand(text: string, command: Command): Promise<void> {
  if ([process.pid, process.ppid].some((pid) => isCommand(pid, command))) {
    await new Promise<void>((resolve) => {
      process.stdout.write(text, () => resolve());
    });
    return;
  }
  const pid = processOf(command);
  if (pid === undefined) return;
  try {
    // Appends, because the output may be a file. A full pipe refuses the text, because a write that waits would stop
    // the daemon.
    const output = openSync(`/proc/${pid}/fd/1`, O_WRONLY | O_APPEND | O_NONBLOCK);
    try {
      writeSync(output, text);
    } finally {
      closeSync(output);
    }
  } catch {
    // The verdicts are in the output of the tasks all the same.
  }
}

/** The process of a command; undefined if several have the same command line in the workspace. */
function processOf(command: Command): number | undefined {
  const found = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isCommand(pid, command));
  // A package manager that starts Nx ends with the same words.
  const starters = new Set(found.map(parentOf));
  const own = found.filter((pid) => !starters.has(pid));
  return own.length === 1 ? own[0] : undefined;
}

function isCommand(pid: number, { argv: [node = '', , ...words], workspaceRoot }: Command): boolean {
  try {
    const all = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
    return (
      words.length > 0 &&
      all.length >= words.length + 2 &&
      all.slice(-words.length).join('\0') === words.join('\0') &&
      readlinkSync(`/proc/${pid}/exe`) === realpathSync(node) &&
      isInside(workspaceRoot, readlinkSync(`/proc/${pid}/cwd`))
    );
  } catch {
    // It has ended, or is of somebody else.
    return false;
  }
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}
