const SHOWN = 5;

/** Why a process that was taken over cannot be started again, and what to do. */
export function describeLostEnvironment(names: readonly string[]): string {
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
  return (
    `It cannot be started again as it was: the values of its environment (${names.slice(0, SHOWN).join(', ')}${more}) are gone. ` +
    'They are kept outside the project, and temporary files were removed since. Start it anew.'
  );
}
