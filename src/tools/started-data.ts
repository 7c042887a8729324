import type { StartedProcess } from './actions/start-in-background.ts';
import { toReadData } from './output-data.ts';
import { toSummary } from './process-summary.ts';
import { toScreenData, toTerminalData } from './screen-data.ts';

/** A process that has just been started, with what it shows. */
export function toStartedData({ view, message, read, shown }: StartedProcess) {
  const seen = { ...toSummary(view), ...toTerminalData(view), message };
  if (shown === null) return { ...seen, ...(read !== null && toReadData(read)) };
  const { screen, cursor } = toScreenData(shown);
  return { ...seen, cursor, screen };
}
