import type { Agent, AgentOptions } from '../../../agents/agent.ts';
import type { CliIo } from '../../cli-io.ts';
import type { Page } from '../../render/page.ts';

/** A chat whose agent has not been started yet. */
export interface ChatSession {
  readonly io: CliIo;
  readonly page: Page;
  /** The rows that introduce the agent. */
  readonly opening: readonly string[];
  /** Returns how to resume the conversation; `null` if it is not saved. */
  howToResume(): string | null;
  /** Starts the agent; its events go to `onEvent`. */
  open(listener: Pick<AgentOptions, 'ask' | 'askSecret' | 'onEvent'>): Promise<Agent>;
}
