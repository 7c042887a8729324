/** What stands in every help text for an id. */
export const idHelp = 'its id, its label, or the beginning of either';
