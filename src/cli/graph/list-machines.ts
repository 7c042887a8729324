import { type AnyStateMachine, StateMachine } from 'xstate';
import * as machines from '../../../machines/index.ts';
import type { Diagram } from './drawing/diagram.ts';
import { toDiagram } from './drawing/to-diagram.ts';

/** Every machine that the door of `machines/` lets out, as plain data. */
export function listMachines(): readonly Diagram[] {
  const isMachine = (value: unknown): value is AnyStateMachine => value instanceof StateMachine;
  return Object.values(machines).filter(isMachine).map(toDiagram);
}
