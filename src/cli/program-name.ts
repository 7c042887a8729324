/** How this program is called by whoever reads its texts: under npx it is not on the PATH. */
export function toProgramName(env: Readonly<Record<string, string | undefined>>): string {
  const isNpx = env['npm_command'] === 'exec' || env['npm_lifecycle_event'] === 'npx';
  return isNpx ? 'npx troupe' : 'troupe';
}
