import type { Agent, AgentOptions } from '../../agents/agent.ts';
import type { CliIo } from '../cli-io.ts';
import type { Page } from '../render/page.ts';

/** A chat that is about to begin. */
export interface Talk {
  readonly io: CliIo;
  readonly page: Page;
  /** Who speaks, and what a person should know of it. */
  readonly opening: readonly string[];
  /** A sentence for the end; `null` where the conversation is not kept. */
  howToGoOn(): string | null;
  /** Wakes the agent; what it says goes to `onEvent`. */
  open(listener: Pick<AgentOptions, 'ask' | 'askSecret' | 'onEvent'>): Promise<Agent>;
}
