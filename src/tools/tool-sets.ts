import { processTools } from './process-tools.ts';
import { backgroundProcess } from './sets/background-process/background-process.ts';
import { bgKill } from './sets/bg/bg-kill.ts';
import { bgOutput } from './sets/bg/bg-output.ts';
import { bgStart } from './sets/bg/bg-start.ts';
import { bgStatus } from './sets/bg/bg-status.ts';
import { processAction } from './sets/process-action/process-action.ts';
import type { Tool } from './tool.ts';

export type ToolSetName = 'process' | 'background_process' | 'bg' | 'process_action';

/** Ways to say the same to a model; an agent gets one of them, by default `process`. */
export const toolSets: Readonly<Record<ToolSetName, readonly Tool[]>> = {
  process: processTools,
  background_process: [backgroundProcess],
  bg: [bgStart, bgStatus, bgOutput, bgKill],
  process_action: [processAction],
};
