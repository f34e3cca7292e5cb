import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProcess } from './exec';

const node = process.execPath;

/** A killed process may remain as a zombie if nothing reaps orphans. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function runningCommands(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
      } catch {
        return '';
      }
    });
}

describe('runProcess', () => {
  it('gives complete lines even when writes split them, and the unfinished last one', async () => {
    const lines: string[] = [];
    const script = `process.stdout.write('{"a":');setTimeout(()=>process.stdout.write('1}\\nlast'),20)`;
    const result = await runProcess(node, ['-e', script], { onStdoutLine: (line) => lines.push(line) }).result;
    expect(lines).toEqual(['{"a":1}', 'last']);
    expect(result).toMatchObject({ exitCode: 0, signal: null, startError: null });
  });

  it('passes the exit code and both tails on', async () => {
    const result = await runProcess(node, ['-e', `console.log('out');console.error('err');process.exitCode=7`]).result;
    expect(result).toMatchObject({ exitCode: 7, stdoutTail: 'out\n', stderrTail: 'err\n' });
  });

  it('reports a program that does not exist as a start error, not as an exit code', async () => {
    const result = await runProcess('/nonexistent/program', []).result;
    expect(result).toMatchObject({ exitCode: null, startError: 'ENOENT' });
  });

  it('keeps stdin open until told, so that a recorder ends when its stage says so', async () => {
    let closed = false;
    const child = runProcess(node, ['-e', `process.stdin.resume();process.stdin.on('end',()=>console.log('end'))`], {
      holdStdin: true,
      onStdoutLine: () => expect(closed).toBe(true),
    });
    await new Promise((resolve) => setTimeout(resolve, 150));
    closed = true;
    child.closeStdin();
    expect((await child.result).stdoutTail).toBe('end\n');
  });

  it('kills what the program started too', async () => {
    const script = `const c=require('child_process').spawn('sleep',['30']);console.log(c.pid);setInterval(()=>{},1000)`;
    let grandchild = 0;
    const child = runProcess(node, ['-e', script], {
      onStdoutLine: (line) => {
        grandchild = Number(line);
        child.kill('SIGKILL');
      },
    });
    expect(await child.result).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isRunning(grandchild)).toBe(false);
  });

  it('does not leave a program behind when this process is killed', async () => {
    const exec = join(__dirname, 'exec.ts');
    const parent = `require('${join(__dirname, '..', '..', 'bin', 'source.js')}');
      require('${exec}').runProcess('sleep', ['30.5'], {});
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), 300);`;
    const result = await runProcess(node, ['-e', parent]).result;
    expect(result.signal).toBe('SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(runningCommands()).not.toContain('sleep 30.5');
  });

  it('lets a program run to its end under a limit of weeks, which is longer than a timer of Node', async () => {
    const { result } = runProcess(node, ['-e', 'setTimeout(() => {}, 300)'], { timeoutMs: 3e9 });
    expect(await result).toMatchObject({ exitCode: 0, timedOut: false });
  });

  it('ends a program that outlives its time limit and says so', async () => {
    const result = await runProcess(node, ['-e', 'setInterval(()=>{},1000)'], { timeoutMs: 200 }).result;
    expect(result).toMatchObject({ timedOut: true, signal: 'SIGKILL' });
  });

  it('removes a variable that is given as undefined and adds the others', async () => {
    const child = runProcess(node, ['-e', `console.log(process.env.PATH===undefined, process.env.KL)`], {
      env: { PATH: undefined, KL: '1' },
    });
    expect((await child.result).stdoutTail).toBe('true 1\n');
  });
});
