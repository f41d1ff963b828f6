/*
Attack: use up all memory.
Defence: `Memory` = `MemorySwap`; the kernel kills the script before the supervisor.
Limits: {"memoryMb": 128}
Expect: ResourceLimitError memoryMb
*/
const held = [];
for (;;) held.push(new Uint8Array(1 << 20).fill(1));
