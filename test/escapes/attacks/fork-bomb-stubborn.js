/*
Attack: start processes without end, and take no refusal for an answer, so that the script itself never fails.
Defence: who is refused a process a thousand times is ended; the control group counts.
Limits: {"pids": 48}
Expect: ResourceLimitError pids
*/
for (;;) {
  try {
    Bun.spawn(['sleep', '60']);
  } catch {
    // Once more.
  }
}
