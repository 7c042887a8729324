import type { Diagram } from '../charts/diagram.ts';

/** Step of an inspected machine from one configuration of states to the next. */
export interface MachineStep {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly event: string;
  /** Guards that chose the transitions of the step; empty where none did. */
  readonly guards: readonly string[];
  /** Transitions that were taken, as `source -> target`; a transition without a target has none. */
  readonly transitions: readonly string[];
  /** Ids of the states after the step that have no active state inside. */
  readonly states: readonly string[];
}

/** Inspected machine of a program at one moment, as plain data. */
export interface MachineView {
  /** Id of its session in its actor system. */
  readonly id: string;
  /** Id of its actor, which its creator chose. */
  readonly name: string;
  readonly chart: Diagram;
  readonly status: 'active' | 'done' | 'error' | 'stopped';
  /** Last steps, oldest first; the first of all is its start. */
  readonly path: readonly MachineStep[];
}
