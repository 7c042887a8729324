export {
  createScriptedBackend,
  type Script,
  type ScriptedBackend,
  type ScriptedRun,
} from './scripted-backend.ts';
export { createVirtualClock, type VirtualClock } from './virtual-clock.ts';
