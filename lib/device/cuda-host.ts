import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sha256, sha256OfFile } from '../support/files';
import type { Environment } from '../support/environment';

/** NVIDIA GPUs and driver of this machine, found without starting a process or the driver. */
export interface CudaHost {
  /**
   * Digest of all GPU models, the driver and the variables that select among them; "none" without an NVIDIA driver.
   * Equal machines have the same identity.
   */
  identity: string;
  /** Source of the identity. */
  from: 'proc' | 'device-nodes' | 'named-driver' | 'none';
}

/** Root folders, which tests replace. */
export interface HostFolders {
  proc: string;
  dev: string;
  libraries: readonly string[];
}

const hostFolders: HostFolders = {
  proc: '/proc/driver/nvidia',
  dev: '/dev',
  libraries: ['/usr/lib/x86_64-linux-gnu', '/usr/lib64', '/usr/lib', '/usr/local/nvidia/lib64'],
};

/** Variables that change which GPU a program gets, and which driver. */
const selectors = ['CUDA_VISIBLE_DEVICES', 'CUDA_DEVICE_ORDER', 'NVIDIA_VISIBLE_DEVICES'];

/**
 * Reads the kernel driver's files if they exist. Some containers hide them: then the device nodes and the version in
 * the name that libcuda.so.1 links to. A driver that KERNLOOP_CUDA_DRIVER names is identified by its content.
 */
export function cudaHost(env: Environment, folders: HostFolders = hostFolders): CudaHost {
  const selected = selectors.map((name) => `${name}=${env[name] ?? ''}`);
  const host = (from: CudaHost['from'], facts: readonly string[]): CudaHost => ({
    identity: from === 'none' ? 'none' : `cuda-${sha256([...facts, ...selected].join('\n')).slice(0, 16)}`,
    from,
  });
  const named = env['KERNLOOP_CUDA_DRIVER'];
  if (named && existsSync(named)) return host('named-driver', [sha256OfFile(named)]);
  const proc = procFacts(folders.proc);
  if (proc !== undefined) return host('proc', proc);
  const nodes = entries(folders.dev).filter((name) => /^nvidia\d+$/.test(name));
  if (nodes.length === 0) return host('none', []);
  return host('device-nodes', [...nodes, libcudaVersion(env, folders)]);
}

/** Version line of the kernel module, and the model of every GPU in bus order. */
function procFacts(folder: string): string[] | undefined {
  const version = textOf(join(folder, 'version'));
  const gpus = entries(join(folder, 'gpus')).map((name) => textOf(join(folder, 'gpus', name, 'information')));
  if (version === undefined || gpus.length === 0 || gpus.includes(undefined)) return undefined;
  return [version.split('\n')[0] ?? '', ...gpus.map((text) => /^Model:\s*(.*)$/m.exec(text ?? '')?.[1] ?? '')];
}

/** `libcuda.so.580.65.06`: the target of the link that the loader takes. */
function libcudaVersion(env: Environment, { libraries }: HostFolders): string {
  const folders = [...(env['LD_LIBRARY_PATH'] ?? '').split(':').filter(Boolean), ...libraries];
  const link = folders.map((folder) => join(folder, 'libcuda.so.1')).find((path) => existsSync(path));
  return link === undefined ? 'no libcuda.so.1' : basename(realpathSync(link));
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
