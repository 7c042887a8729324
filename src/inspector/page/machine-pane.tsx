import type { MachineView } from '../../live/machine-view.ts';
import { Drawing, WithCharts } from './chart-pane.tsx';
import { at, travelTo } from './state.ts';
import { toClock } from './words.ts';

/** Statechart of an inspected machine of the program, with the active states lit, and its steps until the shown moment. */
export function MachinePane({ machine }: { readonly machine: MachineView }) {
  const steps = machine.path.filter((step) => step.at <= at.value);
  const active = steps.at(-1)?.states ?? [];
  return (
    <div class="pane side machine" data-pane="side">
      <h2>
        {machine.name} <span>{active.join(' + ')}</span>
      </h2>
      <div class="chart">
        <WithCharts>
          {(charts) => (
            <Drawing
              svg={charts.drawMachine(machine.chart)}
              lit={active}
              walked={steps.flatMap(({ transitions }) => transitions)}
              visited={steps.flatMap(({ states }) => states)}
            />
          )}
        </WithCharts>
        <div class="steps">
          <h3>steps, newest first</h3>
          <ol class="timeline">
            {steps.toReversed().map((step, index) => (
              <li key={`${step.at} ${steps.length - index}`}>
                <button type="button" class="link" title="Show this moment" onClick={() => travelTo(step.at)}>
                  {toClock(step.at, 1)}
                </button>{' '}
                <b>{step.event}</b>
                {step.guards.map((guard) => ` [${guard}]`)} → {step.states.join(' + ')}
              </li>
            ))}
          </ol>
        </div>
      </div>
    </div>
  );
}
