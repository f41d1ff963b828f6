/*
Attack: start processes without end and ignore refusals, so that the script itself never fails.
Defence: the supervisor ends a script after 1,000 refused processes; the control group counts them.
Limits: {"pids": 48}
Expect: ResourceLimitError pids
*/
for (;;) {
  try {
    Bun.spawn(['sleep', '60']);
  } catch {
    // Try again.
  }
}
