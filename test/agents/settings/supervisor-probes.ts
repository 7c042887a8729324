import { readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentDefinition } from '../../../src/config/agent-file-schema.ts';
import type { CommandSpec } from '../../../src/config/process-spec.ts';
import { hasStatus, openProbed, type Probe, turn, whenIs } from './probe.ts';

type Rig = Awaited<ReturnType<typeof openProbed>>;

/** Looks at the supervisor of an agent. */
const at =
  (see: (rig: Rig) => Promise<unknown>) =>
  async (definition: AgentDefinition): Promise<unknown> => {
    await using rig = await openProbed(definition);
    return await see(rig);
  };

const start = async (rig: Rig, spec: Partial<CommandSpec> = {}) => {
  const handle = rig.supervisor.start({ command: 'serve', tool: 'make__all', ...spec } as CommandSpec);
  await turn();
  return handle;
};

const promotedAfter = at(async (rig) => whenIs(hasStatus(await start(rig), 'backgrounded'), rig));
const stoppedAfter = (spec: Partial<CommandSpec>) =>
  at(async (rig) => whenIs(hasStatus(await start(rig, spec), 'timed_out'), rig));
const announced = (type: 'process.silent' | 'process.elapsed') =>
  at(async (rig) => {
    const seen: string[] = [];
    rig.supervisor.events$.subscribe((event) => seen.push(event.type));
    await start(rig, { background: true, maxBackgroundTime: 0 });
    return await whenIs(() => seen.includes(type), { ...rig, stepMs: 1_000, maxMs: 400_000 });
  });
const variable = (name: string) =>
  at(async (rig) => {
    await start(rig);
    return rig.backend.lastRun.request.env[name];
  });
const killedAfter = (order: (rig: Rig) => Promise<unknown>) =>
  at(async (rig) => {
    await start(rig);
    const run = rig.backend.lastRun;
    run.obeys = (signal) => signal === 'SIGKILL';
    void order(rig);
    return await whenIs(() => run.signals.includes('SIGKILL'), rig);
  });
const running = (kind: 'tool' | 'agent') =>
  at(async (rig) => {
    for (let count = 0; count < 8; count += 1) await start(rig, { kind });
    return rig.supervisor.list().filter(({ status }) => status === 'running').length;
  });
const endedAfterExit = (printEveryMs: number) =>
  at(async (rig) => {
    const handle = await start(rig);
    const run = rig.backend.lastRun;
    run.holdsOutput = true;
    run.exit();
    await turn();
    let last = 0;
    const print = () => {
      if (rig.clock.nowMs() - last < printEveryMs) return false;
      last = rig.clock.nowMs();
      run.print('.');
      return false;
    };
    return await whenIs(() => handle.status === 'completed' || print(), {
      ...rig,
      stepMs: 10,
      maxMs: 10_000,
    });
  });
const printed = (text: string, see: (rig: Rig, id: string) => Promise<unknown> | unknown) =>
  at(async (rig) => {
    const handle = await start(rig);
    rig.backend.lastRun.print(text);
    rig.backend.lastRun.exit();
    await handle.ended;
    return await see(rig, handle.id);
  });

const logs = (rig: Rig) => {
  const folder = join(rig.directory, 'state/processes');
  return readdirSync(folder).map((name) => join(folder, name));
};

/** Probes of each supervisor setting: its effect on a process of the agent. */
export const supervisorProbes: Readonly<Record<string, Probe>> = {
  'supervisor.terminal': {
    value: 'none',
    see: at(async (rig) => (await start(rig, { interactive: true })).view().terminal?.because),
    gives: 'It has pipes instead of a terminal: the supervisor\'s option "terminal" is "none".',
  },
  'supervisor.default_timeout': { value: 7, see: promotedAfter, gives: 7_000 },
  'supervisor.on_timeout': {
    value: 'kill',
    see: at(async (rig) => {
      const handle = await start(rig);
      rig.clock.advance(31_000);
      await turn();
      return handle.status;
    }),
    gives: 'timed_out',
  },
  'supervisor.max_execution_time': { value: '1m', see: stoppedAfter({ onTimeout: 'wait' }), gives: 60_000 },
  'supervisor.max_background_time': { value: 45, see: stoppedAfter({ background: true }), gives: 45_000 },
  'supervisor.lifetime': {
    value: 'parent',
    see: at(async (rig) => {
      const views = [await start(rig, { background: true }), await start(rig, { background: false })];
      return views.map((handle) => handle.view().lifetime);
    }),
    gives: ['parent', 'session'],
  },
  'supervisor.kill_grace': {
    value: 2,
    see: killedAfter(async ({ supervisor }) => supervisor.kill(supervisor.list()[0]?.id ?? '')),
    gives: 2_000,
  },
  'supervisor.shutdown_grace': {
    value: '1s',
    see: killedAfter(({ supervisor }) => supervisor.shutdown()),
    gives: 1_000,
  },
  'supervisor.drain_quiet': { value: '300ms', see: endedAfterExit(Number.POSITIVE_INFINITY), gives: 300 },
  'supervisor.drain_max': { value: '500ms', see: endedAfterExit(50), gives: 500 },
  'supervisor.notify_after_silence': { value: 10, see: announced('process.silent'), gives: 10_000 },
  'supervisor.notify_after': { value: 20, see: announced('process.elapsed'), gives: 20_000 },
  'supervisor.max_buffer_bytes': {
    value: 2_048,
    see: printed(
      'x'.repeat(100_000),
      (rig, id) => (rig.supervisor.get(id)?.view().output.droppedBytes ?? 0) > 0,
    ),
    gives: true,
  },
  'supervisor.head_bytes': {
    value: 256,
    beside: { 'supervisor.max_buffer_bytes': 4_096 },
    see: printed(`${'H'.repeat(3_000)}${'T'.repeat(50_000)}`, (rig, id) => {
      const text = rig.supervisor.get(id)?.read({ format: 'raw', maxBytes: 8_192 }).text ?? '';
      return /^H*/.exec(text)?.[0].length;
    }),
    gives: 256,
  },
  'supervisor.max_log_bytes': {
    value: 4_096,
    see: printed('x'.repeat(100_000), (rig) => logs(rig).every((file) => statSync(file).size < 10_000)),
    gives: true,
  },
  'supervisor.max_reply_bytes': {
    value: 256,
    see: printed('x'.repeat(10_000), async (rig, id) => {
      const result = await rig.supervisor.get(id)?.result();
      return result?.type === 'completed' && result.stdout.length < 1_000;
    }),
    gives: true,
  },
  'supervisor.shell': {
    value: '/bin/another',
    see: at(async (rig) => {
      await start(rig);
      const { work } = rig.backend.lastRun.request;
      return work.type === 'shell' && work.shell;
    }),
    gives: '/bin/another',
  },
  'supervisor.env': { value: { PROBE_COLOR: 'green' }, see: variable('PROBE_COLOR'), gives: 'green' },
  'supervisor.redact_names': {
    value: ['TROUPE_TEST_*'],
    see: async (definition) => (await variable('TROUPE_TEST_RUN')(definition)) === undefined,
    gives: true,
  },
  'supervisor.hints.pager': {
    value: false,
    see: async (given) => (await variable('GIT_PAGER')(given)) === 'cat',
    gives: false,
  },
  'supervisor.hints.git_prompt': {
    value: false,
    see: async (given) => (await variable('GIT_TERMINAL_PROMPT')(given)) === '0',
    gives: false,
  },
  'supervisor.hints.term': {
    value: false,
    see: async (given) => (await variable('TERM')(given)) === process.env['TERM'],
    gives: true,
  },
  'supervisor.max_parallel_tools': { value: 2, see: running('tool'), gives: 2 },
  'delegation.max_parallel_agents': { value: 2, see: running('agent'), gives: 2 },
  'supervisor.max_background_processes': {
    value: 2,
    see: at(async (rig) => {
      for (let count = 0; count < 20; count += 1) {
        try {
          await start(rig, { background: true });
        } catch {
          return count;
        }
      }
      return null;
    }),
    gives: 2,
  },
  'supervisor.retention': {
    value: '2m',
    see: printed('', async (rig, id) => {
      rig.clock.advance(300_000);
      await turn();
      return rig.supervisor.get(id) === undefined;
    }),
    gives: true,
  },
  'supervisor.max_finished': {
    value: 2,
    see: at(async (rig) => {
      for (let count = 0; count < 5; count += 1) {
        const handle = await start(rig);
        rig.backend.lastRun.exit();
        await handle.ended;
      }
      return rig.supervisor.list().length;
    }),
    gives: 2,
  },
  'supervisor.log_retention': {
    value: '1m',
    see: printed('x', async (rig) => {
      const hourAgo = new Date(Date.now() - 3_600_000);
      for (const file of logs(rig)) utimesSync(file, hourAgo, hourAgo);
      return (await rig.supervisor.sweep()).logsRemoved;
    }),
    gives: 1,
  },
  'supervisor.force_background_patterns': {
    value: ['make__*'],
    see: at(async (rig) => (await start(rig)).status),
    gives: 'backgrounded',
  },
  'supervisor.force_sync_patterns': {
    value: ['make__*'],
    see: at(async (rig) => {
      const handle = await start(rig);
      rig.clock.advance(100_000);
      return handle.status;
    }),
    gives: 'running',
  },
  'tools.timeouts': { value: { 'make__*': 9 }, see: promotedAfter, gives: 9_000 },
  'tools.modes': {
    value: { 'make__*': 'background' },
    see: at(async (rig) => (await start(rig)).status),
    gives: 'backgrounded',
  },
};
