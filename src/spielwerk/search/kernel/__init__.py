"""Search algorithms over the kernel contract, one file each."""
