/** Settings that redirect outputs: only CMake can evaluate their effect. */
const redirected = /RUNTIME_OUTPUT_DIRECTORY|OUTPUT_NAME|EXECUTABLE_OUTPUT_PATH/;

/** Programs that a CMakeLists.txt plainly declares in its build folder; none if that would take an evaluation. */
export function declaredPrograms(text: string): string[] {
  const source = text.replace(/#.*$/gm, '');
  if (redirected.test(source)) return [];
  const project = /\bproject\s*\(\s*([\w.+-]+)/i.exec(source)?.[1];
  const names = [...source.matchAll(/\badd_executable\s*\(\s*([^\s()]+)\s*(\w+)?/gi)]
    .filter(([, , kind = '']) => !['IMPORTED', 'ALIAS'].includes(kind))
    .map(([, name = '']) => (project === undefined ? name : name.replace(/^\$\{(?:CMAKE_)?PROJECT_NAME\}$/, project)));
  return names.every((name) => /^[\w.+-]+$/.test(name)) ? [...new Set(names)] : [];
}
