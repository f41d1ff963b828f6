/**
 * Shares `total` places among those who want some: one each, in order, round by round, until all have what they want or none
 * is left. So nobody's many keep another from having one.
 * @returns how many each gets, in the order of `wants`
 */
export function allot(wants: readonly number[], total: number): number[] {
  const given = wants.map(() => 0);
  let left = total;
  for (let round = 0; left > 0 && wants.some((want) => want > round); round++) {
    for (const [index, want] of wants.entries()) {
      if (want <= round || left === 0) continue;
      given[index]!++;
      left--;
    }
  }
  return given;
}
