import type { ProjectConfiguration, TargetConfiguration } from '@nx/devkit';
import type { KernelJson } from '../../lib/reproducer/kernel-json';
import { stages } from '../../lib/stages/registry';
import { captureTarget } from './app-targets';
import { identityInputs, noPackages, optionInputs, type TargetInput } from './inputs';
import { builtVariable, judgedVariable } from './reproducer-variables';

export const reproducerName = ({ app, name }: Pick<KernelJson, 'app' | 'name'>): string => `${app.name}-${name}`;

/**
 * The project of a reproducer: pure, from its kernel.json. `captures` says whether the app is in this workspace and declares
 * the kernel, at the place where its capture task writes; a reproducer that was moved elsewhere lives from the capture it has.
 */
export function reproducerProject(
  root: string,
  config: KernelJson,
  captures: boolean,
): Omit<ProjectConfiguration, 'root'> {
  const capture = captures ? [{ projects: [config.app.name], target: captureTarget(config.name) }] : [];
  const recompiles = config.language !== 'none';
  const dependsOn = [...capture, ...(recompiles ? ['recompile'] : [])];
  const targets: Record<string, TargetConfiguration> = {
    ...(recompiles ? { recompile: recompile(root, config) } : {}),
    replay: {
      executor: 'kernloop:replay',
      options: { reproducer: root },
      dependsOn,
      // A time is never a cached verdict.
      cache: false,
      metadata: { description: stages.replay.summary },
    },
    validate: {
      executor: 'kernloop:validate',
      options: { reproducer: root },
      dependsOn,
      cache: true,
      inputs: [
        ...ownFiles,
        // What the user built is judged, also where .gitignore names it; another task of this command may have built it.
        { fileset: '{projectRoot}/*.{hsaco,co,cubin}', includeIgnored: true },
        { fileset: '{projectRoot}/build/{candidate,optimized,kernel_variant}.{hsaco,co,cubin}', includeIgnored: true },
        { env: judgedVariable(root) },
        ...captureInputs(captures),
        ...(recompiles ? [{ dependentTasksOutputFiles: '**/build/variant.*' }] : []),
        ...optionInputs(stages.validate),
        ...identityInputs(
          'KERNLOOP_NATIVE_DIGEST',
          'KERNLOOP_DEVICE_ID',
          'KERNLOOP_PACKAGE_DIGEST',
          'KERNLOOP_STORE_GENERATION',
        ),
        noPackages,
      ],
      outputs: ['{projectRoot}/report.json'],
      metadata: { description: stages.validate.summary },
    },
  };
  return {
    name: reproducerName(config),
    projectType: 'application',
    targets,
    ...(captures ? { implicitDependencies: [config.app.name] } : {}),
    metadata: { technologies: ['kernloop', config.language], description: config.demangled },
  };
}

/**
 * Which files a compiler reads is known only afterwards, so the cache is asked only where nothing changed since the last recompile: the
 * variable has a value of its own otherwise. Its outputs are files, since the user may put others beside them.
 */
function recompile(root: string, { language }: KernelJson): TargetConfiguration {
  return {
    executor: 'kernloop:recompile',
    options: { reproducer: root },
    cache: true,
    inputs: [
      ...ownFiles,
      { env: builtVariable(root) },
      ...optionInputs(stages.recompile),
      ...identityInputs('KERNLOOP_TOOLCHAIN', 'KERNLOOP_PACKAGE_DIGEST'),
      noPackages,
    ],
    outputs: [`variant.${language === 'cuda' ? 'cubin' : 'hsaco'}`, 'variant.json'].map(
      (name) => `{projectRoot}/build/${name}`,
    ),
    metadata: { description: stages.recompile.summary },
  };
}

/** What the user edits; not what the stages write, nor what only people read. */
const ownFiles: TargetInput[] = [
  '{projectRoot}/**/*',
  '!{projectRoot}/capture/**/*',
  '!{projectRoot}/captures/**/*',
  '!{projectRoot}/build/**/*',
  '!{projectRoot}/report.json',
  '!{projectRoot}/README.md',
  '!{projectRoot}/Makefile',
];

/** capture.json names every byte of a capture by digest; observed.json varies from run to run and decides nothing. */
function captureInputs(captures: boolean): TargetInput[] {
  return ['capture', 'captures/*'].flatMap((folder): TargetInput[] => {
    if (captures) return [{ dependentTasksOutputFiles: `**/${folder}/{capture,selfcheck}.json` }];
    return ['capture', 'selfcheck'].map((name) => ({
      fileset: `{projectRoot}/${folder}/${name}.json`,
      includeIgnored: true,
    }));
  });
}
