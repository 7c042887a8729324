import { checkProcess } from './check-process.ts';
import { getProcessOutput } from './get-process-output.ts';
import { killProcess } from './kill-process.ts';
import { listProcesses } from './list-processes.ts';
import { runCommand } from './run-command.ts';
import { startProcess } from './start-process.ts';
import type { Tool } from './tool.ts';

/** The tool set `process`, which an agent has unless told otherwise. */
export const processTools: readonly Tool[] = [
  runCommand,
  startProcess,
  listProcesses,
  checkProcess,
  getProcessOutput,
  killProcess,
];
