import { toTask } from './first-message.ts';

/** A call that a phrase asks for. */
export interface DemoCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const PHRASES: readonly { readonly form: RegExp; readonly toCall: (words: readonly string[]) => DemoCall }[] =
  [
    { form: /^run (.+)$/i, toCall: ([command]) => ({ name: 'run_command', arguments: { command } }) },
    { form: /^start (.+)$/i, toCall: ([command]) => ({ name: 'start_process', arguments: { command } }) },
    {
      form: /^list( all)?$/i,
      toCall: ([all]) => ({ name: 'list_processes', arguments: { include_completed: all !== undefined } }),
    },
    {
      form: /^check (\S+)$/i,
      toCall: ([process_id]) => ({ name: 'check_process', arguments: { process_id } }),
    },
    {
      form: /^output (\S+)$/i,
      toCall: ([process_id]) => ({ name: 'get_process_output', arguments: { process_id } }),
    },
    {
      form: /^(?:kill|stop) (\S+)$/i,
      toCall: ([process_id]) => ({ name: 'kill_process', arguments: { process_id } }),
    },
    { form: /^ask ([\w-]+)( in background)?( in process| in subprocess)? to (.+)$/i, toCall: toDelegation },
  ];

/** What a text asks for, a line each; lines that are no such phrase are left out. */
export function readDemoPhrase(text: string): readonly DemoCall[] {
  return toTask(text).split('\n').flatMap(readLine);
}

function readLine(line: string): readonly DemoCall[] {
  for (const { form, toCall } of PHRASES) {
    const found = form.exec(line.trim());
    if (found !== null) return [toCall(found.slice(1))];
  }
  return [];
}

function toDelegation([agent, background, mode, task]: readonly (string | undefined)[]): DemoCall {
  return {
    name: `delegate_to_${agent}`,
    arguments: {
      task,
      ...(background !== undefined && { background: true }),
      ...(mode !== undefined && { mode: mode.trim() === 'in process' ? 'in_process' : 'subprocess' }),
    },
  };
}
