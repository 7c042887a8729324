/** Returns the local time of day: `12:00:05`. */
export function toClockTime(at: number): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return String(at);
  return [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
