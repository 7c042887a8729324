import type { TailedFile } from './tailed-file.ts';

/** A way to make a log smaller that somebody else goes on writing. Rejects where it cannot. */
export type MakeRoom = (log: {
  file: TailedFile;
  /** Where it is written down what is missing, before it is. */
  statusPath: string;
  keepHeadBytes: number;
  keepTailBytes: number;
}) => Promise<void>;
