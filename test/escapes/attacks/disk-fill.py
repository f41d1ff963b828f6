"""
Attack: fill the disk with data.
Defence: /tmp is a tmpfs with a size limit, within the memory limit; the script cannot write anywhere else.
Limits: {"tmpMb": 4}
Expect: ResourceLimitError tmpMb
"""

with open("/tmp/fill", "wb") as file:
    while True:
        file.write(bytes(1 << 16))
