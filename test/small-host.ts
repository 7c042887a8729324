/** Lets a worker count as a small program, however many tests it has run: tests of the starter demand it. */
const { rss } = process.memoryUsage;
const mostBytes = 200_000_000;
process.memoryUsage.rss = () => Math.min(rss(), mostBytes);
