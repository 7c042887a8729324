export { expectNoSurvivors, type SurvivorOptions } from './expect-no-survivors.ts';
export { type ChartCoverage, createChartCoverage, type Walked } from './paths/chart-coverage.ts';
export { coveringPaths, type PathWithInput, transitionsTaken } from './paths/covering-paths.ts';
export {
  describePath,
  type GeneratedPath,
  generatePaths,
  type PathOptions,
  type PathStep,
} from './paths/generate-paths.ts';
export {
  type MachineTestOptions,
  type MachineTestReport,
  type MachineWorld,
  type MissedPart,
  testMachine,
} from './paths/test-machine.ts';
export { createRecorder, type Recorder, type RecorderOptions } from './recording/recorder.ts';
export { type Replayed, replay } from './recording/replay.ts';
export type { Stage } from './recording/stage.ts';
export {
  createScriptedBackend,
  type Script,
  type ScriptedBackend,
  type ScriptedBackendOptions,
  type ScriptedRun,
} from './scripted-backend.ts';
export { settle } from './settle.ts';
export { createVirtualClock, type VirtualClock } from './virtual-clock.ts';
