"""
Attack: take all memory, in a process that wants the supervisor to be killed in its place.
Defence: `Memory` = `MemorySwap`; scripts cannot lower their score below the supervisor's.
Limits: {"memoryMb": 64}
Expect: ResourceLimitError memoryMb
"""

held = []
while True:
    held.append(bytearray(1 << 20))
