"""
Attack: print a result that is small but so deep that a recursive reader crashes.
Defence: the depth of a result is limited, and counted without recursion before any other code reads the result.
Expect: OutputError
"""

print("[" * 200_000 + "]" * 200_000)
