import type { Ground } from './ground.ts';
import type { Runtime } from './runtime.ts';
import type { ShutdownReport } from './shutdown-report.ts';

/** Ends everything, and says what is left. Never rejects. */
export async function shutDown(runtime: Runtime, ground: Ground): Promise<ShutdownReport> {
  const { clock } = ground;
  const { registry, leftovers } = runtime;
  const startMs = clock.nowMs();
  // Held on to: what ends may be forgotten at once.
  const withLeftovers = leftovers.ids.map((id) => registry.get(id)).filter((each) => each !== undefined);
  const concerned = [...registry.live.values(), ...withLeftovers];
  runtime.events.next({ type: 'supervisor.stopping', at: clock.epochMs() });

  runtime.schedules.close();
  await Promise.all([runtime.admission.stop(), runtime.endLeftovers()]);
  const ended = concerned.filter(({ life }) => life.hasEnded);
  await Promise.all(ended.map((process) => process.ended));
  const detached = concerned.filter(({ life }) => life.isDetached);
  // Whoever comes next finds their files as they are to be.
  await Promise.all([...registry.ended.values(), ...detached].map((process) => process.output.log.close()));
  runtime.records.flush();

  runtime.watches.close();

  for (const backend of new Set([ground.backend, ground.durableBackend])) await backend?.close?.();
  await ground.terminals.close();
  const report: ShutdownReport = {
    durationMs: Math.round(clock.nowMs() - startMs),
    left: detached.map(({ id }) => id),
    ended: ended.filter(({ id }) => !leftovers.ids.includes(id)).map(({ id }) => id),
    survivors: await findSurvivors(runtime, ground),
  };
  // With survivors the watchdog stays: it ends with this program, and then they are its to end.
  if (report.survivors.length === 0) {
    await ground.watchdog?.close();
    runtime.records.close();
    leaveRoll(runtime, ground);
  }
  runtime.events.next({ type: 'supervisor.stopped', at: clock.epochMs(), report });
  for (const subject of [runtime.events, runtime.completions, runtime.news, runtime.changes])
    subject.complete();
  return report;
}

/** An entry that stays says that nobody is there: its program has ended. */
function leaveRoll({ reportFault }: Runtime, { roll, supervisorId }: Ground): void {
  try {
    roll?.unregister(supervisorId);
  } catch (error) {
    reportFault(error);
  }
}

async function findSurvivors(
  { registry, leftovers }: Runtime,
  { trees }: Ground,
): Promise<ShutdownReport['survivors']> {
  const ids = [...registry.live.keys(), ...leftovers.ids];
  return Promise.all(
    ids.map(async (id) => {
      const view = registry.get(id)?.life.view;
      const seen = view?.status === 'stopping' ? view.survivors : [];
      return { id, members: seen.length > 0 ? seen : ((await trees.get(id)?.survey()) ?? []) };
    }),
  );
}
