import { type AnyStateMachine, StateMachine } from 'xstate';

type Config = { [key: string]: unknown };

/** Returns the chart without one transition, named as `ChartCoverage` names it. */
export function withoutTransition<Machine extends AnyStateMachine>(machine: Machine, id: string): Machine {
  return changeTransitions(machine, { id, change: (all, index) => all.filter((_, at) => at !== index) });
}

/** Returns the chart with one transition leading elsewhere. */
export function withTarget<Machine extends AnyStateMachine>(
  machine: Machine,
  { id, target }: { id: string; target: string },
): Machine {
  return changeTransitions(machine, {
    id,
    change: (all, index) => all.map((each, at) => (at === index ? { ...toConfig(each), target } : each)),
  });
}

function changeTransitions<Machine extends AnyStateMachine>(
  machine: Machine,
  { id, change }: { id: string; change: (all: readonly unknown[], index: number) => readonly unknown[] },
): Machine {
  const [source = '', event = '', index = ''] = id.split(' · ');
  const { path } = machine.getStateNodeById(source);
  const config = changeNode(machine.config as Config, path, (node) => {
    const changed = (transitions: unknown) => change([transitions].flat(), Number(index));
    if (event === 'always') return { ...node, always: changed(node['always']) };
    const on = node['on'] as Config;
    return { ...node, on: { ...on, [event]: changed(on[event]) } };
  });
  return new StateMachine(config as never, machine.implementations as never) as unknown as Machine;
}

function changeNode(node: Config, path: readonly string[], change: (node: Config) => Config): Config {
  const [name, ...rest] = path;
  if (name === undefined) return change(node);
  const states = node['states'] as Config;
  return { ...node, states: { ...states, [name]: changeNode(states[name] as Config, rest, change) } };
}

function toConfig(transition: unknown): Config {
  return typeof transition === 'string' ? { target: transition } : (transition as Config);
}
