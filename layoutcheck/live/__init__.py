"""Real compilers, each in a child process: they abort and may hang."""
