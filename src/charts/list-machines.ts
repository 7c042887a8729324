import { type AnyStateMachine, StateMachine } from 'xstate';
import * as machines from '../../machines/index.ts';
import type { Diagram } from './diagram.ts';
import { toDiagram } from './to-diagram.ts';

/** Returns every machine that `machines/index.ts` exports, as plain data. */
export function listMachines(): readonly Diagram[] {
  const isMachine = (value: unknown): value is AnyStateMachine => value instanceof StateMachine;
  return Object.values(machines).filter(isMachine).map(toDiagram);
}
