import picomatch from 'picomatch';
import type { OnTimeout } from '../../machines/process/context.ts';

/** Execution mode of a call, with the reason shown in the view. */
interface ExecutionDecision {
  readonly background: boolean;
  readonly timeoutMs: number;
  readonly onTimeout: OnTimeout;
  readonly because: string;
}

interface ExecutionRules {
  readonly modes: Readonly<Record<string, 'background' | 'sync' | 'auto'>>;
  readonly timeouts: Readonly<Record<string, number>>;
  readonly forceBackgroundPatterns: readonly string[];
  readonly forceSyncPatterns: readonly string[];
  readonly timeout: number;
  readonly onTimeout: OnTimeout;
}

export interface ExecutionWishes {
  readonly tool?: string | undefined;
  readonly background?: boolean | undefined;
  readonly timeout?: number | undefined;
  readonly onTimeout?: OnTimeout | undefined;
  readonly maxExecutionTime: number;
}

/**
 * Decides the execution mode of a call, most binding first: the tool's own mode, patterns that force the background,
 * patterns that force a wait, the request. A rule that sets only the mode does not change the time-out.
 */
export function decideExecution(rules: ExecutionRules, wishes: ExecutionWishes): ExecutionDecision {
  const { tool } = wishes;
  const timeoutMs = ownTimeout(rules, tool) ?? wishes.timeout ?? rules.timeout;
  const onTimeout = wishes.onTimeout ?? rules.onTimeout;
  const sync = (because: string): ExecutionDecision => ({
    background: false,
    timeoutMs: ownTimeout(rules, tool) ?? wishes.maxExecutionTime,
    onTimeout: 'wait',
    because,
  });
  const background = (because: string): ExecutionDecision => ({
    background: true,
    timeoutMs,
    onTimeout,
    because,
  });

  if (tool !== undefined) {
    const [glob, mode] =
      Object.entries(rules.modes).find(([pattern]) => picomatch.isMatch(tool, pattern)) ?? [];
    if (mode === 'background') return background(`modes: "${glob}" is background`);
    if (mode === 'sync') return sync(`modes: "${glob}" is sync`);
    if (mode === undefined) {
      const backgroundGlob = rules.forceBackgroundPatterns.find((pattern) =>
        picomatch.isMatch(tool, pattern),
      );
      if (backgroundGlob !== undefined) return background(`forceBackgroundPatterns: "${backgroundGlob}"`);
      const syncGlob = rules.forceSyncPatterns.find((pattern) => picomatch.isMatch(tool, pattern));
      if (syncGlob !== undefined) return sync(`forceSyncPatterns: "${syncGlob}"`);
    }
  }
  if (wishes.background === true) return background('the call asked for the background');
  if (wishes.background === false)
    return { background: false, timeoutMs, onTimeout, because: 'the call asked to wait' };
  return { background: false, timeoutMs, onTimeout, because: 'default' };
}

function ownTimeout(rules: ExecutionRules, tool: string | undefined): number | undefined {
  if (tool === undefined) return undefined;
  return Object.entries(rules.timeouts).find(([pattern]) => picomatch.isMatch(tool, pattern))?.[1];
}
