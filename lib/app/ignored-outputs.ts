/** Files that stages write and nobody commits. */
const outputs = [
  '.kernloop/',
  '**/kernels/*/*/capture/',
  '**/kernels/*/*/captures/',
  '**/kernels/*/*/capture.lock',
  '**/kernels/*/*/build/',
  '**/kernels/*/*/pgo/',
  '**/kernels/*/*/trace/',
  '**/kernels/*/*/report.json',
  '*.partial-*',
];

/** A .gitignore (null if there is none) with the lines that it lacks, and their number. */
export function withOutputsIgnored(before: string | null, more: readonly string[]): { text: string; added: number } {
  const text = before ?? '';
  const present = new Set(text.split('\n').map((line) => line.trim().replace(/^\//, '')));
  const missing = [...more, ...outputs].filter((line) => {
    const [folder = ''] = line.split('/');
    return ![line, folder, `${folder}/`].some((form) => present.has(form));
  });
  if (missing.length === 0) return { text, added: 0 };
  const separator = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  return {
    text: `${text}${separator}# Kernloop: of a reproducer everything is committed but what its stages write\n${missing.join('\n')}\n`,
    added: missing.length,
  };
}
