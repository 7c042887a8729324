import { captureScreen } from './sets/process/capture-screen.ts';
import { checkProcess } from './sets/process/check-process.ts';
import { getProcessOutput } from './sets/process/get-process-output.ts';
import { killProcess } from './sets/process/kill-process.ts';
import { listProcesses } from './sets/process/list-processes.ts';
import { resizeTerminal } from './sets/process/resize-terminal.ts';
import { restartProcess } from './sets/process/restart-process.ts';
import { runCommand } from './sets/process/run-command.ts';
import { schedule } from './sets/process/schedule.ts';
import { sendKeys } from './sets/process/send-keys.ts';
import { startProcess } from './sets/process/start-process.ts';
import { unwatchProcess } from './sets/process/unwatch-process.ts';
import { waitFor } from './sets/process/wait-for.ts';
import { watchProcess } from './sets/process/watch-process.ts';
import { writeProcess } from './sets/process/write-process.ts';
import type { Tool } from './tool.ts';

/** The tool set `process`, which an agent has unless told otherwise: one tool for each verb. */
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
  killProcess,
];
