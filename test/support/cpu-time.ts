/**
 * Starts to measure the CPU time of this process, which other load on the machine does not change. Linux measures the sum of the time of the
 * program and of the system, and only estimates the share of each.
 * @returns a function that returns the time since then, in µs
 */
export function startCpuTime(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
}
