"""Games as environments for learners: a compiled batch of matches, and the interfaces of other libraries over it."""
