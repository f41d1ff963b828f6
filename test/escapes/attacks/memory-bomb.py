"""
Attack: use up all memory, in a process that tries to have the supervisor killed instead.
Defence: `Memory` = `MemorySwap`; a script cannot lower its oom_score_adj below that of the supervisor.
Limits: {"memoryMb": 64}
Expect: ResourceLimitError memoryMb
"""

held = []
while True:
    held.append(bytearray(1 << 20))
