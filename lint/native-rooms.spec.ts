const { broken, crowded, mostFiles, rooms } = jest.requireActual<{
  rooms: Readonly<Record<string, readonly string[]>>;
  broken: (files: Readonly<Record<string, string>>) => readonly string[];
  crowded: (files: readonly string[]) => readonly string[];
  mostFiles: number;
}>('./native-rooms.cjs');

const including = (file: string, ...included: string[]): readonly string[] =>
  broken({ [file]: included.map((name) => `#include "${name}"\n`).join('') });

describe('the rooms of native', () => {
  it('stand from the ground up: each includes those before it alone', () => {
    const names = Object.keys(rooms);
    for (const [index, room] of names.entries())
      for (const other of rooms[room] ?? []) expect(names.slice(0, index)).toContain(other);
  });

  it('let capture and replay know nothing of the software GPU', () => {
    expect(including('capture/hsa/agent.cpp', 'abi/hsa/softgpu_extension.h', 'base/result.h')).toEqual([]);
    for (const file of ['capture/hsa/agent.cpp', 'replay/hsa/hsa_device.cpp', 'replay/core/session/session.cpp'])
      expect(including(file, 'softgpu/hsa/host/log.h')).toHaveLength(1);
  });

  it('let the cores know no device, and the devices not each other', () => {
    expect(including('capture/core/capture.cpp', 'capture/cuda/agent.h')).toHaveLength(1);
    expect(including('replay/cuda/cuda_device.cpp', 'replay/hsa/hsa_device.h')).toHaveLength(1);
    expect(including('replay/main.cpp', 'replay/hsa/hsa_device.h', 'replay/core/session/session.h')).toEqual([]);
  });

  it('take a file for the innermost room that it is in', () => {
    expect(including('fakes/cuda/api.cpp', 'codeobject/code_object.h')).toEqual([]);
    expect(including('cuda/driver.cpp', 'codeobject/code_object.h')).toHaveLength(1);
  });

  it('let tests include anything, and nothing else include tests', () => {
    expect(including('replay/test/session_test.cpp', 'softgpu/hsa/host/log.h')).toEqual([]);
    expect(including('replay/core/session/session.cpp', 'replay/test/fake_device.h')).toHaveLength(1);
  });

  it('name an event by an enumerator that its schema gave, and never by a text', () => {
    const named = (code: string): readonly string[] => broken({ 'replay/core/session/run.cpp': code });
    expect(named('sink.emit({{"event", ReplayEvent::result}});')).toEqual([]);
    expect(named('return {{"event", "error"}};')).toEqual([]);
    expect(named('sink.emit({{"event", "outcome"}});')).toHaveLength(1);
    expect(named('event["event"] = "outcome";')).toHaveLength(1);
  });

  it('want a place for a new room', () => {
    expect(including('attic/attic.cpp')).toHaveLength(1);
    expect(including('base/result.cpp', 'attic/attic.h')).toHaveLength(1);
  });

  it('leave alone what lies beside, and the system', () => {
    expect(
      broken({ 'pgo/pass/shared/plan.cpp': '#include "plan.h"\n#include <softgpu/engine/wave/wave.h>\n' }),
    ).toEqual([]);
  });

  it('let the engine observe memory without knowing the port to it', () => {
    expect(including('softgpu/engine/access/memory_port.cpp', 'softgpu/engine/observe/checker.h')).toEqual([]);
    expect(including('softgpu/engine/observe/checker.cpp', 'softgpu/engine/access/memory_port.h')).toHaveLength(1);
  });

  it('have folders of few files, each counted without those below it', () => {
    const names = (folder: string, count: number) => Array.from({ length: count }, (_, k) => `${folder}/${k}.cpp`);
    expect(crowded([...names('base', mostFiles), ...names('base/test', mostFiles)])).toEqual([]);
    expect(crowded([...names('base', mostFiles), 'base/CMakeLists.txt', ...names('elf', 2)])).toEqual([
      expect.stringMatching(/^base: 46 files/),
    ]);
  });
});
