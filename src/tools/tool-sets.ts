import { backgroundProcess } from './sets/background-process.ts';
import { bash, bashOutput, killShell } from './sets/bash-tools.ts';
import { bgKill, bgOutput, bgStart, bgStatus } from './sets/bg-tools.ts';
import { execCommand, writeStdin } from './sets/exec-tools.ts';
import { killProcess, restartProcess, signalProcess, writeProcess } from './sets/process/control-tools.ts';
import { checkProcess, getProcessOutput, listProcesses } from './sets/process/inspect-tools.ts';
import { runCommand } from './sets/process/run-command.ts';
import { schedule } from './sets/process/schedule.ts';
import { startProcess } from './sets/process/start-process.ts';
import { captureScreen, resizeTerminal, sendKeys } from './sets/process/terminal-tools.ts';
import { waitFor } from './sets/process/wait-for.ts';
import { unwatchProcess, watchProcess } from './sets/process/watch-tools.ts';
import { processAction } from './sets/process-action.ts';
import type { Tool } from './tool.ts';

/** Tool set `process`, the default: one tool per verb. */
export const processTools: readonly Tool[] = [
  runCommand,
  startProcess,
  listProcesses,
  checkProcess,
  getProcessOutput,
  waitFor,
  writeProcess,
  sendKeys,
  captureScreen,
  resizeTerminal,
  watchProcess,
  unwatchProcess,
  schedule,
  restartProcess,
  signalProcess,
  killProcess,
];

export type ToolSetName = 'process' | 'background_process' | 'bg' | 'process_action' | 'bash' | 'exec';

/** Alternative tool sets; an agent uses one of them, by default `process`. */
export const toolSets: Readonly<Record<ToolSetName, readonly Tool[]>> = {
  process: processTools,
  background_process: [backgroundProcess],
  bg: [bgStart, bgStatus, bgOutput, bgKill],
  process_action: [processAction],
  bash: [bash, bashOutput, killShell],
  exec: [execCommand, writeStdin],
};
