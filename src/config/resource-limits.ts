import { z } from 'zod';

/**
 * Limits on what a command and everything it starts may use. Those that a start omits come from its supervisor. A limit that this machine
 * cannot keep is refused at the start, with the reason: nothing runs without a limit that was asked for.
 */
export interface ResourceLimits {
  /**
   * Memory in bytes, at least 1 MiB. With the cgroup controller `memory`: of all its processes together, and exceeding it kills them all;
   * the end has the reason `outOfMemory`. Without: writable private memory of each process by itself (RLIMIT_DATA), whose allocations then
   * fail; Linux only. `resourceLimits.memoryOf` in the view says which.
   */
  readonly memoryBytes?: number | undefined;
  /** Number of processes and threads of all its processes together, at least 1; a further one fails to start. Needs the cgroup controller `pids`. */
  readonly processes?: number | undefined;
  /** Processors, at least 0.01; `0.5` is half of one. It is slowed down, never ended. Needs the cgroup controller `cpu`. */
  readonly cpus?: number | undefined;
  /** Open files of each process, at least 4 (RLIMIT_NOFILE). */
  readonly openFiles?: number | undefined;
  /**
   * Size in bytes of a file that one of its processes writes, rounded up to 512 (RLIMIT_FSIZE). The end of the command by it has the reason
   * `fileTooLarge`. Not for a persistent command without a terminal, which writes its own log.
   */
  readonly fileBytes?: number | undefined;
  /** Niceness, -20 to 19: a higher one yields the processor to others. A lower one than that of this program needs the right to raise priorities. */
  readonly nice?: number | undefined;
  /**
   * Preference of the kernel when memory runs out, -1000 to 1000: the highest is killed first (oom_score_adj). A lower one than that of
   * this program needs the right to it. Linux only.
   */
  readonly oomScoreAdj?: number | undefined;
}

/** Limits on what a process may use, and what the one of the memory counts: all its processes together, or each by itself. */
export interface AppliedLimits extends ResourceLimits {
  readonly memoryOf?: 'tree' | 'process' | undefined;
}

const MIB = 1024 * 1024;

/** Schema of `ResourceLimits`. */
export const resourceLimits = z.strictObject({
  memoryBytes: z.int().min(MIB).optional(),
  processes: z.int().min(1).optional(),
  cpus: z.number().min(0.01).optional(),
  openFiles: z.int().min(4).optional(),
  fileBytes: z.int().min(512).optional(),
  nice: z.int().min(-20).max(19).optional(),
  oomScoreAdj: z.int().min(-1_000).max(1_000).optional(),
});
