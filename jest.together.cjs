// Jest loads all modules anew for each file of tests: more than half of the time that unit specs take. Here they share a few contexts. A
// spec that leaves something behind can break another one of them: `npx jest FILE` has it alone.
const { mkdirSync, readdirSync, rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

/** As many as keep three workers busy to the end. */
const contexts = 6;

/**
 * Writes files that load all specs of `rooms`, folders in `root`, that are wanted by their path in `root`. A test's
 * name begins with its file's. Returns the options of Jest that run them.
 */
exports.specsTogether = (root, rooms, isWanted) => {
  const specs = rooms
    .flatMap((room) => readdirSync(join(root, room), { recursive: true }).map((name) => join(room, name)))
    .filter((name) => name.endsWith('.spec.ts') && isWanted(name))
    .sort();
  const folder = join(root, '.kernloop', 'specs');
  // Workers read the configuration, too.
  if (process.env.JEST_WORKER_ID === undefined) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (let context = 0; context < contexts; context++) {
      const loads = specs
        .filter((_, index) => index % contexts === context)
        .map((name) => `describe(${JSON.stringify(name)}, () => void require(${JSON.stringify(join(root, name))}));\n`);
      writeFileSync(join(folder, `together-${context}.spec.ts`), loads.join(''));
    }
  }
  return { roots: [...rooms.map((room) => join(root, room)), folder], testMatch: [`${folder}/*.spec.ts`] };
};
