/** How long this thread has computed, in milliseconds: on a busy machine far less than passes on the wall. */
export function threadCpuMs(): number {
  // Before Node 22.19 only that of all threads is known.
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1_000;
}
