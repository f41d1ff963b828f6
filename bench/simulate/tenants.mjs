/** The classes of tenants by the rank of their load, the largest first. */
export const CLASSES = [
  { name: 'the 100 heaviest', upTo: 100 },
  { name: 'the next 9,900', upTo: 10_000 },
  { name: 'the other 90,000', upTo: 100_000 },
];
export const TENANTS = 100_000;

/**
 * A function that draws tenants with heavy-tailed load: the tenant of rank r has a part of the load that is proportional to 1 / r (Zipf).
 * With 100,000 tenants, the 100 heaviest have 43 % of the load.
 */
export function drawTenants(random) {
  const sums = new Float64Array(TENANTS);
  let sum = 0;
  for (let rank = 0; rank < TENANTS; rank++) sums[rank] = sum += 1 / (rank + 1);
  return () => {
    const wanted = random() * sum;
    let low = 0;
    for (let high = TENANTS - 1; low < high;) {
      const middle = (low + high) >> 1;
      if (sums[middle] < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

export function classOf(tenant) {
  return CLASSES.findIndex(({ upTo }) => tenant < upTo);
}

/** Durations with a long tail (log-normal) and this mean: most jobs are short, a few take ten times as long. */
export function drawDurations(random, meanMs) {
  const SIGMA = 1;
  const middle = Math.log(meanMs) - SIGMA ** 2 / 2;
  return () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Math.exp(middle + SIGMA * normal);
  };
}
